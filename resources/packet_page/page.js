/* The page that a rater sees. Whatever comes from the packet is shown as plain text, never as markup. */

// ---- What is shown

const page = document.getElementById("page");
let keys = {}; // by key: what it does on the page that is shown

function el(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === false) continue;
    if (name === "onclick" || name === "onchange" || name === "oninput") made[name] = value;
    else if (name === "text") made.textContent = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside.filter((part) => part !== null && part !== undefined && part !== false));
  return made;
}

/** Return a button. A second tap that follows too closely belongs to what was there before. */
function button(text, act, more = {}) {
  const { key, ...rest } = more;
  const made = el("button", { type: "button", text, ...rest, onclick: (event) => { if (event.detail < 2) act(); } });
  if (key) made.append(el("kbd", { text: key, "aria-hidden": "true" }));
  return made;
}

function show({ body, onKeys = {}, focus = null }) {
  const place = document.activeElement && document.activeElement.dataset.act;
  keys = onKeys;
  page.replaceChildren(body);
  const same = place && page.querySelector(`[data-act="${place}"]:not(:disabled)`);
  const next = same || focus || page.querySelector("h1, h2");
  if (next) next.focus({ preventScroll: true });
  if (!next || next.tagName.startsWith("H")) window.scrollTo(0, 0);
}

function speak(text) {
  document.getElementById("spoken").textContent = text;
}

const title = (text, tag = "h1") => el(tag, { text, tabindex: "-1" });
const act = (doing) => () => {
  if (working) return;
  working = true;
  Promise.resolve(doing()).catch((error) => { if (!(error instanceof NewerElsewhere)) throw error; }).finally(() => { working = false; });
};

addEventListener("keydown", (event) => {
  const typing = event.target.matches && event.target.matches("textarea, input[type=radio]");
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const doing = event.ctrlKey || event.altKey || event.metaKey ? null : keys[event.key.toLowerCase()];
  if (event.repeat && (doing || event.key === "Enter" || event.key === " ")) event.preventDefault();
  else if (doing) {
    event.preventDefault();
    doing();
  } else if (SCROLLS[event.key] && !event.target.closest?.(".cards, .panel, .prompt")) scrollTexts(SCROLLS[event.key]);
}, true);

const SCROLLS = { ArrowDown: 0.1, ArrowUp: -0.1, PageDown: 0.9, PageUp: -0.9, Home: -1e6, End: 1e6 }; // of their height

/** Scroll the texts, or on a narrow screen the one in view, also while no text has the keyboard. */
function scrollTexts(share) {
  const cards = page.querySelector(".cards");
  const moved = cards && cards.scrollHeight > cards.clientHeight ? cards : cards && cards.children[inView.indexOf(true)];
  if (moved) moved.scrollBy({ top: share * moved.clientHeight });
}

addEventListener("beforeunload", (event) => {
  if (unsaved && (unkept || locked())) event.preventDefault(); // a finished page is sent as the file that is saved
});

function keptWords() {
  if (unkept && unsaved) return storing ? WORDS.lost(Math.min(unkept, unsaved)) : WORDS.notKept;
  return storing ? "" : WORDS.notKept;
}

function keptRow() {
  const words = keptWords();
  return words && el("div", { class: "kept wide" }, el("p", { class: "warn", text: words }), button(WORDS.saveSoFar, act(save)));
}

// ---- The first page

let storing = true; // whether this browser keeps anything

function startPage() {
  const cards = [...new Set(packet.comparisons.map((each) => each.texts.length))].sort().join(" or ");
  const begun = answers.opened_at !== "";
  const agreed = el("input", { type: "checkbox", id: "agree", onchange: () => { begin.disabled = !agreed.checked; } });
  const asks = Boolean(settings.consent_text) && !answers.consent_at;
  const own = el("textarea", { "aria-label": WORDS.describe, maxlength: 2000 });
  own.value = answers.background.described || "";
  const begin = button(begun ? WORDS.resume : WORDS.begin, act(() => open(own.value)), { class: "primary", disabled: asks });
  const sheet = el("main", { class: "sheet" },
    title(WORDS.start),
    el("p", { text: WORDS.about(packet.comparisons.length, cards) + (settings.prompts_withheld && !settings.prompts ? " " + WORDS.withheld : "") }),
    asks && el("section", { class: "card" }, el("h2", { text: WORDS.before }), el("p", { class: "plain", text: settings.consent_text }),
      el("label", { class: "agree" }, agreed, WORDS.agree)),
    settings.instructions && el("section", { class: "card" }, el("p", { class: "plain", text: settings.instructions })),
    el("section", { class: "card" },
      el("p", { class: "note", text: WORDS.code(packet.code) }),
      settings.ask_background && el("h2", { text: WORDS.describe }), settings.ask_background && own,
      settings.ask_background && el("p", { class: "note", text: WORDS.describeHint }),
      storing ? el("p", { class: "note", text: WORDS.kept }) : el("p", { class: "warn", text: WORDS.notKept }),
      el("div", { class: "row" }, begin)));
  return { body: sheet };
}

async function open(described) {
  const words = described.trim();
  if (!answers.opened_at) {
    answers.opened_at = now();
    answers.consent_text = settings.consent_text;
    answers.consent_at = settings.consent_text ? answers.opened_at : "";
  }
  if (settings.ask_background && words) answers.background = { described: wellFormed(words).slice(0, 2000) };
  await keep();
  if (practiceLeft()) practising = practiceRound();
  lastSign = performance.now();
  goNext();
}

// ---- Rating

function nextLeft(after) {
  const all = packet.comparisons, start = all.indexOf(after) + 1;
  return [...all.slice(start), ...all.slice(0, start)].find((each) => !given(each.id)) || null;
}

let best = null; // the best card, while the worst is asked for
let sure = false; // whether it is asked how sure the answer is, which is kept already
let noteOpen = false, rubricOpen = false;
let hint = ""; // one line above the buttons, until the next answer
let askedForRatings = false;

function goTo(each) {
  clock();
  at = each;
  [best, sure, noteOpen, askedForRatings] = [null, false, false, false];
  show(at || practising ? ratingPage() : endPage());
  const said = document.getElementById("spoken").textContent.split(" · ")[0];
  if (at) speak(`${said} · ${WORDS.place(1 + packet.comparisons.indexOf(at), packet.comparisons.length)}`);
}

const goNext = () => goTo(practising ? null : nextLeft(at));

const goTowards = (each) => act(async () => {
  hint = "";
  await keepChanged();
  goTo(each());
});

function answerBefore() {
  const here = at ? history.indexOf(at.id) : -1;
  const before = history[(here < 0 ? history.length : here) - 1];
  return packet.comparisons.find((each) => each.id === before) || at;
}

/** Show the same comparison again, each text where it was scrolled to. */
function again() {
  const places = () => [...page.querySelectorAll(".cards, .one")];
  const before = places().map((place) => [place.scrollLeft, place.scrollTop]);
  show(ratingPage());
  places().forEach((place, n) => place.scrollTo({ left: before[n][0], top: before[n][1], behavior: "instant" }));
}

/** Take an answer: to the worst or to how sure it is where the plan asks that, else to the next comparison. */
async function answer(outcome, card = null, degree = null) {
  if (practising) {
    practising.record(outcome, card, degree);
    return again();
  }
  if (outcome === "choice" && asksWorst() && best === null) {
    best = card;
    return again();
  }
  if (outcome === "choice" && card === best) return undefined;
  const missing = missingRatings();
  if (missing && !askedForRatings) {
    [askedForRatings, hint] = [true, WORDS.missing(missing)];
    return again();
  }
  const id = at.id, before = given(id);
  const said = { outcome, chosen: best === null ? card : best, worst: best === null ? null : card, degree };
  if (outcome !== "choice") [said.chosen, said.worst] = [null, null];
  const same = before && before.outcome === outcome && before.chosen === said.chosen
    && (before.detail.worst ?? null) === said.worst && (before.detail.degree ?? null) === degree;
  if (same) said.confidence = before.detail.confidence;
  best = null;
  await record(id, said);
  hint = "";
  const ends = ANSWERED.includes(outcome) && !toldUnread ? unread(id) : [];
  if (ends.length) [toldUnread, hint] = [true, WORDS.unread(ends.map((end) => LETTERS[end]))];
  sure = Boolean(settings.confidence) && outcome !== "skip";
  return sure ? again() : goNext();
}

async function answerSure(confidence) {
  await record(at.id, { ...answerOf(given(at.id)), confidence });
  goNext();
}

const asksWorst = () => Boolean(settings.worst) && !practising && at.texts.length === 3;

/** Count the ratings that are missing of a comparison; 0 where none of its ratings is given. */
function missingRatings() {
  if (!settings.criterion_ratings || practising) return 0;
  const made = Object.values(ratings.get(at.id) || {}).filter((each) => each.rating !== null).length;
  return made && settings.wording[Number(at.wording)].criteria.length * at.texts.length - made;
}

function question() {
  const own = settings.question || "";
  if (sure) return WORDS.howSure;
  if (best !== null) return WORDS.worst;
  if (asksWorst()) return own ? `${own} ${WORDS.thenWorst}` : WORDS.bestWorst;
  return own || WORDS.best;
}

function ratingPage() {
  const each = practising ? practising.comparison() : at;
  const before = practising ? practising.answer : given(each.id);
  const criteria = settings.wording[Number(each.wording)].criteria;
  const hasRubric = criteria.length > 0 || Boolean(settings.instructions);
  const cards = cardsOf(each, best !== null ? best : before && before.outcome === "choice" ? before.chosen : null);
  const toggles = {
    g: hasRubric && (() => { rubricOpen = !rubricOpen; again(); }),
    n: settings.notes && !practising && (() => {
      noteOpen = !noteOpen;
      again();
      if (noteOpen) page.querySelector("textarea").focus();
    }),
    h: settings.spans && !practising && act(markSelected),
  };
  const bar = barOf(each, before);
  const body = el("main", { class: "rating" },
    headOf(each, toggles),
    rubricOpen && hasRubric && el("section", { class: "panel", "aria-label": WORDS.rubric, tabindex: "0" },
      ...criteria.map(([name, explanation]) => el("p", {}, el("strong", { text: name }), explanation ? " " + explanation : "")),
      settings.instructions && el("p", { class: "plain", text: settings.instructions })),
    toggles.n && noteOpen && el("section", { class: "panel" }, noteField(each.id)),
    el("nav", { class: "tabs", "aria-label": WORDS.texts }, ...each.texts.map((_, card) =>
      button(WORDS.text(LETTERS[card]), () => cards.children[card].scrollIntoView({ inline: "center", block: "nearest" }), { "data-card": card }))),
    cards, bar.body);
  watch(cards);
  const onKeys = Object.fromEntries(Object.entries({ ...bar.onKeys, ...toggles }).filter(([, doing]) => doing));
  return { body, onKeys, focus: body.querySelector(".bar .primary") };
}

function headOf(each, toggles) {
  const prompt = (settings.prompts || {})[each.id];
  const number = practising ? practising.place + 1 : packet.comparisons.indexOf(at) + 1;
  const place = practising ? WORDS.practice(number, settings.practice.length) : WORDS.place(number, packet.comparisons.length);
  const toggle = (words, key, open) => toggles[key.toLowerCase()] && button(words, toggles[key.toLowerCase()],
    { key, "data-act": words, ...(open === undefined ? {} : { "aria-pressed": String(open) }) });
  return el("header", { class: "head" },
    el("div", { class: "row" }, el("p", { class: "note", text: `${place} · ${settings.wording[Number(each.wording)].title}` }),
      el("div", { class: "row" }, toggle(WORDS.mark, "H"), toggle(WORDS.rubric, "G", rubricOpen), toggle(WORDS.note, "N", noteOpen),
        !practising && button(WORDS.overview, goTowards(() => null)))),
    el("progress", { max: packet.comparisons.length, value: packet.comparisons.length - counts().left, "aria-hidden": "true" }),
    prompt && el("p", { class: "prompt plain", tabindex: "0", dir: "auto", text: prompt }),
    title(question(), "h2"));
}

/** Return the bar under the thumb, and what its keys do. */
function barOf(each, before) {
  const parts = [], onKeys = {};
  const offer = (words, doing, key, more = {}) => {
    onKeys[key.toLowerCase()] = act(doing);
    return button(words, act(doing), { key, ...more });
  };
  const leave = act(async () => {
    if (!practising) await keepChanged();
    else await practising.goOn();
    goTo(practising ? null : nextLeft(at && packet.comparisons[packet.comparisons.indexOf(at) - 1]));
  });
  if (practising && practising.answer) {
    parts.push(practiceWords(), el("div", { class: "answers wide" },
      button(practising.last ? WORDS.goOnReal : WORDS.goOn, leave, { class: "primary", "data-act": "go on" })));
    return { body: el("footer", { class: "bar" }, ...parts), onKeys };
  }
  if (hint) parts.push(el("p", { class: "wide note", role: "status", text: hint }));
  if (before && best === null && !sure) {
    parts.push(el("div", { class: "row wide earlier" }, el("p", { text: givenWords(before) }),
      button(WORDS.takeBack, act(async () => { await record(each.id, { outcome: "undone" }); again(); }), { class: "link" }),
      button(WORDS.leave, leave, { class: "link" })));
  }
  if (sure) {
    parts.push(el("div", { class: "answers main", role: "group", "aria-label": WORDS.howSure }, ...WORDS.levels.map((words, n) =>
      offer(words, () => answerSure(n + 1), String(n + 1), { "aria-pressed": String(before.detail.confidence === n + 1), "data-act": "sure " + n }))));
  } else {
    parts.push(choicesOf(each, before, offer));
  }
  const plain = (outcome, words, key) =>
    offer(words, () => answer(outcome), key, { "aria-pressed": String(Boolean(before) && before.outcome === outcome), "data-act": outcome });
  const goBack = () => {
    if (best === null) return goTowards(answerBefore)();
    best = null;
    return again();
  };
  onKeys.b = practising ? null : goBack;
  parts.push(el("div", { class: "answers", role: "group", "aria-label": WORDS.your },
    ...(best !== null || sure ? [] : [plain("tie", settings.graded ? WORDS.equal : WORDS.tie, "0"), plain("none", WORDS.none, "X"), plain("skip", WORDS.skip, "S")]),
    sure && button(WORDS.leaveOpen, act(async () => goNext())),
    !practising && button(WORDS.back, goBack, { key: "B", "data-act": "back", disabled: best === null && !history.length })));
  return { body: el("footer", { class: "bar" }, keptRow(), ...parts), onKeys };
}

/** Return the buttons of the texts; where a plan is graded, one for each degree. */
function choicesOf(each, before, offer) {
  const chosen = before && before.outcome === "choice" ? before : null;
  const pressed = (card, degree) => String(Boolean(chosen) && chosen.chosen === card && (chosen.detail.degree ?? null) === degree);
  const choices = each.texts.map((_, card) => {
    const letter = LETTERS[card];
    if (!settings.graded) {
      return offer(letter, () => answer("choice", card), String(card + 1),
        { "aria-label": WORDS.choose(letter), "aria-pressed": pressed(card, null), disabled: card === best, "data-act": "choose " + card });
    }
    return el("div", { class: "degrees" },
      offer(WORDS.slightly(letter), () => answer("choice", card, "slightly"), String(card + 1), { "aria-pressed": pressed(card, "slightly"), "data-act": "slightly " + card }),
      offer(WORDS.much(letter), () => answer("choice", card, "much"), "QWE"[card], { "aria-pressed": pressed(card, "much"), "data-act": "much " + card }));
  });
  return el("div", { class: "answers main", role: "group", "aria-label": question() }, ...choices);
}

function noteField(id) {
  const field = el("textarea", { "aria-label": WORDS.note, placeholder: WORDS.noteHint, oninput: typed });
  field.value = noteOf(id);
  return field;
}

let typedTimer = null;
function typed(event) {
  answers.drafts[at.id] = event.target.value;
  clearTimeout(typedTimer);
  typedTimer = setTimeout(() => keep(true).catch(() => null), 800);
}

function givenWords(row) {
  const { worst, degree, confidence } = row.detail;
  const words = degree ? WORDS.found(LETTERS[row.chosen], degree) : WORDS.gave[row.outcome](LETTERS[row.chosen], LETTERS[worst]);
  return confidence ? `${words} ${WORDS.levels[confidence - 1]}.` : words;
}

function cardsOf(each, chosen) {
  const advised = (settings.recommended || {})[each.id];
  const criteria = settings.criterion_ratings && !practising ? settings.wording[Number(each.wording)].criteria : [];
  return el("section", { class: "cards", "aria-label": WORDS.texts }, ...each.texts.map((text, card) =>
    el("article", { class: card === chosen ? "one chosen" : "one", "data-card": card, "aria-label": WORDS.text(LETTERS[card]) },
      el("h2", { text: LETTERS[card] }),
      advised === card && el("p", { class: "suggested", text: WORDS.suggested }),
      el("p", { class: "text", lang: "en", dir: "auto", tabindex: "0", "data-card": card }, ...marked(text, card, practising ? [] : marksOf(each.id))),
      el("div", { class: "end", "data-card": card }),
      ...criteria.map(([criterion, explanation]) => scaleOf(each, card, criterion, explanation)))));
}

/** Return a text as plain text, with its marked words in elements of their own. */
function marked(text, card, spans) {
  const letters = [...text], parts = [];
  let done = 0;
  for (const [its, start, end] of spans) {
    if (its !== card) continue;
    parts.push(letters.slice(done, start).join(""), el("mark", { text: letters.slice(start, end).join("") }));
    done = end;
  }
  return [...parts, letters.slice(done).join("")].filter((part) => part !== "");
}

let selected = null; // the last words that were selected in a text, and when: tapping a button may end the selection
document.addEventListener("selectionchange", () => {
  const selection = getSelection();
  const holder = (node) => (node && (node.nodeType === 1 ? node : node.parentElement) || document.body).closest(".text");
  const text = selection.rangeCount && !selection.isCollapsed && holder(selection.anchorNode);
  if (!text || text !== holder(selection.focusNode)) {
    if (selected && !selected.ended) selected.ended = performance.now();
    return;
  }
  const range = selection.getRangeAt(0), before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = [...before.toString()].length, whole = [...text.textContent.replace(/ +$/, "")].length;
  const end = Math.min(start + [...range.toString()].length, whole);
  selected = start < end ? { span: [Number(text.dataset.card), start, end], ended: 0 } : null;
});

async function markSelected() {
  const span = selected && (!selected.ended || performance.now() - selected.ended < 1000) ? selected.span : null;
  selected = null;
  hint = span ? "" : WORDS.selectFirst;
  if (span) await mark(at.id, span);
  again();
}

function scaleOf(each, card, criterion, explanation) {
  const rated = ((ratings.get(each.id) || {})[card + " " + criterion] || {}).rating ?? null;
  const step = (rating, text) => el("label", { class: rating === null ? "pick off" : "pick" },
    el("input", { type: "radio", name: `${each.id} ${card} ${criterion}`, "aria-label": rating === null ? WORDS.notRated : text, checked: rating === rated,
      onchange: act(() => rate(each.id, card, criterion, rating)) }), text);
  return el("fieldset", { class: "scale" }, el("legend", { text: criterion }),
    explanation && el("p", { class: "note", text: explanation }),
    el("div", { class: "row" }, ...[1, 2, 3, 4, 5].map((rating) => step(rating, String(rating))), step(null, "–")));
}

// ---- The practice round: its answers count nowhere

function practiceRound() {
  const shuffled = (size) => {
    const order = [...Array(size).keys()];
    for (let n = size - 1; n > 0; n--) {
      const other = crypto.getRandomValues(new Uint32Array(1))[0] % (n + 1);
      [order[n], order[other]] = [order[other], order[n]];
    }
    return order;
  };
  const orders = settings.practice.map((item) => shuffled(item.texts.length));
  return {
    place: 0, answer: null, right: 0, seconds: 0,
    get last() { return this.place === settings.practice.length - 1; },
    get item() { return settings.practice[this.place]; },
    get known() { return orders[this.place].indexOf(this.item.answer); },
    comparison() {
      return { id: "", wording: this.item.task, texts: orders[this.place].map((index) => this.item.texts[index]) };
    },
    record(outcome, chosen, degree) {
      this.answer = { outcome, chosen, detail: degree ? { degree } : {} };
      this.right += chosen === this.known ? 1 : 0;
    },
    async goOn() {
      this.answer = null;
      this.place += 1;
      if (this.place < settings.practice.length) return;
      clock();
      practising = null;
      const result = { right: this.right, of: settings.practice.length, seconds: Math.round(10 * this.seconds) / 10 };
      await annotate("practice", packet.session, result, null);
    },
  };
}

function practiceWords() {
  if (!practising.answer) return null;
  const right = practising.answer.chosen === practising.known;
  const words = [right ? WORDS.right : WORDS.better(LETTERS[practising.known]), practising.item.why].filter(Boolean).join(" ");
  return el("p", { class: "wide", role: "status", text: words });
}

// ---- The end, and the way back into the comparisons

function endPage() {
  const { done, skipped, left } = counts();
  const saving = [button(locked() ? WORDS.save : WORDS.saveSoFar, act(save), locked() ? { class: "primary" } : {}),
    canSend() && button(WORDS.send, act(send))];
  if (locked()) {
    return { body: el("main", { class: "sheet" }, title(WORDS.finished),
      el("section", { class: "card" }, el("p", { text: `${WORDS.locked} ${WORDS.counted(done, skipped, left)}` }), el("p", { text: WORDS.sendBack }),
        keptWords() && el("p", { class: "warn", text: keptWords() }), el("div", { class: "row" }, ...saving))) };
  }
  const sure = el("section", { class: "card", hidden: true }, el("p", { text: WORDS.sure }),
    el("div", { class: "row" }, button(WORDS.finishSure, act(finish), { class: "primary" }), button(WORDS.notYet, () => { sure.hidden = true; })));
  const entry = (each, n) => {
    const row = given(each.id);
    const state = !row ? "left" : row.outcome === "skip" ? "skipped" : "done";
    return el("li", {}, button(`${n + 1}. ${settings.wording[Number(each.wording)].title} · ${WORDS.states[state]}`, goTowards(() => each)));
  };
  const finishing = button(WORDS.finish, () => { sure.hidden = false; sure.scrollIntoView(); sure.querySelector("button").focus(); }, left ? {} : { class: "primary" });
  const body = el("main", { class: "sheet" }, title(left ? WORDS.end : WORDS.allDone),
    el("section", { class: "card" }, el("p", { text: WORDS.counted(done, skipped, left) }),
      keptWords() && el("p", { class: "warn", text: keptWords() }),
      el("div", { class: "row" }, left > 0 && button(WORDS.go, goTowards(() => nextLeft(null)), { class: "primary" }), finishing, ...saving),
      el("p", { class: "note", text: WORDS.saveHint })),
    sure, el("ol", { class: "list card" }, ...packet.comparisons.map(entry)));
  return { body, onKeys: { b: goTowards(answerBefore) } };
}

const elsewherePage = () => ({
  body: el("main", { class: "sheet" }, title(WORDS.elsewhere), el("div", { class: "row" },
    button(WORDS.reload, () => location.reload(), { class: "primary" }), button(WORDS.saveSoFar, act(save)))),
});

// ---- Beginning: with what the file holds, or what this browser kept since

function goesOn(later, earlier) {
  const begins = earlier.judgments.every((row, n) => later.judgments[n] && later.judgments[n].row_sha256 === row.row_sha256);
  const known = new Set(later.annotations.map((row) => row.id));
  const whole = earlier.annotations.every((row) => known.has(row.id));
  return begins && whole && (earlier.revealed_at === null || earlier.revealed_at === later.revealed_at);
}

function start(taken) {
  take(taken);
  show(locked() ? endPage() : startPage());
}

async function main() {
  document.getElementById("asleep").remove();
  const file = readData("answers");
  const stored = await keeper.read().catch(() => null);
  const kept = stored && JSON.parse(stored);
  storing = await keeper.probe(stored || JSON.stringify(file));
  if (!kept || (goesOn(file, kept) && !goesOn(kept, file))) return start(file);
  if (goesOn(kept, file)) return start(kept);
  const choice = el("main", { class: "sheet" }, title(WORDS.two), el("p", { text: WORDS.twoHint }), el("div", { class: "row" },
    button(WORDS.fromBrowser(kept.judgments.length), () => start(kept)),
    button(WORDS.fromFile(file.judgments.length), act(async () => { take(file); await keep(); start(file); }))));
  return show({ body: choice });
}

main();
