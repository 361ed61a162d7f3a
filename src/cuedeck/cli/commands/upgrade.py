"""Ask the installer for a newer version."""

from __future__ import annotations

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("upgrade", json=True, config=False)
def command(here: Here) -> int:
    """Upgrade through the installer that owns this environment (uv, pipx or pip); nothing else is touched."""
    from cuedeck import __version__
    from cuedeck.cli.installer import find_installer, upgrade, version_now

    installer = find_installer()
    here.output.note(f"Asking {installer.name}: {' '.join(installer.command)}")
    with here.output.progress(f"Asking {installer.name}") as progress:
        progress(0)
        done = upgrade(installer)
    record = {"installer": installer.name, "before": __version__, "reached": done.reached}
    if not done.reached:
        human = "The package index cannot be reached; nothing was changed. Try again when you are online."
        here.output.show({**record, "after": __version__}, human)
        return 0
    if not done.succeeded:
        here.output.show({**record, "after": __version__, "said": done.said}, done.said)
        here.output.note(f"{installer.name} failed; nothing was changed.")
        return 1
    after = version_now()
    human = f"Already the newest: {after}." if after == __version__ else f"Upgraded {__version__} to {after}."
    here.output.show({**record, "after": after}, human)
    return 0
