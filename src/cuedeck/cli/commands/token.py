"""Issue a development token for HTTP."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define

LONGEST_HOURS = 24 * 30


@define("token", json=True)
@click.option("--user", "user_id", metavar="UUID", help="Whose token; else the configured local user.")
@click.option("--hours", type=click.FloatRange(0.01, LONGEST_HOURS), default=8.0, show_default=True)
def command(here: Here, user_id: str | None, hours: float) -> None:
    """Issue a token for development, signed with this workspace's own auth.jwt_secret.

    With auth.jwks, tokens come from the issuer that holds the private key; this command cannot make one.
    """
    import time

    from cuedeck.mcp.tokens import development_token

    settings = here.config
    user = user_id or settings.user.id
    expires = int(time.time() + hours * 3600)
    token = development_token(settings.auth, user, expires)
    here.output.show({"token": token, "user": user, "expires": expires}, token)
    here.output.note(f"For {user}, valid for {hours:g} hours. Send it as: Authorization: Bearer <token>")
