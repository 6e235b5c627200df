"""fade_truth, as a part of fade: corrects what PyTorch says of AMD devices."""
from fade_truth import *  # noqa: F401,F403
from fade_truth import __all__  # noqa: F401
