import Defaults

print("Defaults")
