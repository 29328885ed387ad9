# Looks for the engine's secrets in the interpreter: outer frames, open files, all objects.
import gc, sys
frame = sys._getframe()
while frame.f_back is not None:
    frame = frame.f_back
    if any(w in k.lower() for k in frame.f_locals for w in ("secret", "token", "sock", "channel")):
        result["achieved"] = list(frame.f_locals)
for obj in gc.get_objects():
    if type(obj) is str and input_data["secret"][1:] in obj and obj != input_data["secret"] and not obj.startswith("{"):
        result["achieved"] = "an object"
