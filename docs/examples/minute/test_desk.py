from desk import Remedies, Remedy

TRIED = ("Restarted the router", "Replaced the cable", "Sent a new router", "Sent a technician")


def test_remedies(tier_snapshots):
    tier_snapshots(Remedies(remedies=tuple(Remedy(what=each, outcome="failed") for each in TRIED)))
