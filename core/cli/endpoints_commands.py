"""endpoints list, add, remove, test, key: the servers that write for us."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from core.cli.answers import note, print_json, print_table, say
from core.cli.generators import AskKey, session_keys
from core.cli.progress import job
from core.cli.project_commands import AsJson
from core.errors import UsageError

Name = Annotated[str, typer.Argument(help="The endpoint's name.")]
PRICE = "MODEL=INPUT/OUTPUT CURRENCY: what a million tokens cost, as the endpoint's own list says; once for each model."


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Servers that speak as OpenAI's does: list, add, remove, test, key.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("list")(show)
    group.command("test")(ask)
    for command in (add, remove, key):
        group.command()(command)
    app.add_typer(group, name="endpoints")


def show(as_json: AsJson = False) -> None:
    """The endpoints that this computer keeps."""
    from core.machine.endpoints import endpoints

    kept = endpoints()
    if as_json:
        print_json({"endpoints": [asdict(one) for one in kept]})
    elif not kept:
        say("There is no endpoint yet. Add one with: biasprint endpoints add NAME --url ADDRESS")
    else:
        rows = [
            (one.name, one.base_url, str(one.concurrency), f"{one.deadline_seconds:g} s", ", ".join(one.prices) or "–")
            for one in kept
        ]
        print_table(("name", "address", "at once", "deadline", "prices for"), rows)


def add(
    name: Name,
    url: Annotated[str, typer.Option(help="Its address, such as http://127.0.0.1:8080/v1.")],
    concurrency: Annotated[int | None, typer.Option(help="How many requests at once.")] = None,
    deadline: Annotated[float | None, typer.Option(help="Seconds for one text in all.")] = None,
    retries: Annotated[int | None, typer.Option(help="How often a request is sent again.")] = None,
    plain_http: Annotated[
        bool, typer.Option("--plain-http", help="The network is mine: texts and key may go unencrypted.")
    ] = False,
    price: Annotated[list[str] | None, typer.Option(help=PRICE)] = None,
    ask_key: AskKey = False,
    as_json: AsJson = False,
) -> None:
    """Keep an endpoint, in place of the one of this name; what is not given keeps its default."""
    from core.machine import keys
    from core.machine.endpoints import Endpoint, save

    given = {"concurrency": concurrency, "deadline_seconds": deadline, "retries": retries}
    options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
    endpoint = Endpoint(name, url, plain_http_confirmed=plain_http, prices=dict(map(_price, price or ())), **options)
    endpoint.require_safe()
    save(endpoint)
    where = keys.WHERE[keys.keep(name, session_keys(name, True)[name])] if ask_key else ""
    if as_json:
        print_json({"endpoint": asdict(endpoint)})
    else:
        say(f"The endpoint “{name}” is kept: {endpoint.base_url}.")
    if where:
        note(where)


def remove(name: Name, as_json: AsJson = False) -> None:
    """Forget an endpoint and its key."""
    from core.machine import keys
    from core.machine.endpoints import endpoint
    from core.machine.endpoints import remove as forget

    endpoint(name)  # it says which there are
    forget(name)
    keys.forget(name)
    print_json({"removed": name}) if as_json else say(f"The endpoint “{name}” and its key are forgotten.")


def key(name: Name) -> None:
    """Ask for an endpoint's key and keep it in the computer's key ring; it is not shown."""
    from core.machine import keys
    from core.machine.endpoints import endpoint

    endpoint(name)
    say(keys.WHERE[keys.keep(name, session_keys(name, True)[name])])


def ask(
    name: Name,
    model: Annotated[str, typer.Option(help="The model to ask; the first that the endpoint lists by default.")] = "",
    ask_key: AskKey = False,
    as_json: AsJson = False,
) -> None:
    """Ask an endpoint for its models and for one short text."""
    from core.compute import models
    from core.machine.endpoints import endpoint

    with job(f"Testing {name}") as ctx:
        found = models().call("core.runs.probing:probe", endpoint(name), model, session_keys(name, ask_key), ctx=ctx)
    if as_json:
        print_json(asdict(found))
    else:
        say(found.sentence)
        for one in found.models:
            say(f"  {one}")
    if not found.ok:
        raise typer.Exit(1)


def _price(entry: str) -> tuple[str, Any]:
    from core.machine.prices import Price

    model, separator, amounts = entry.rpartition("=")
    money, _, currency = amounts.strip().partition(" ")
    try:
        given, taken = money.split("/")
        price = Price(float(given), float(taken), currency.strip())
    except ValueError:
        raise UsageError(f"“{entry}” is no price.", hint='For example: --price "small=0.5/1.5 EUR"') from None
    if not separator or not model:
        raise UsageError(f"“{entry}” names no model.", hint='For example: --price "small=0.5/1.5 EUR"')
    return model, price
