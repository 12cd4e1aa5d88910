/* The page that a rater sees. Whatever comes from the packet is shown with textContent, never as markup. */

const WORDS = {
  start: "Rate side by side", begin: "Start", resume: "Continue", before: "Before you start", agree: "I agree",
  about: (n, cards) => `You see ${cards} texts at a time and choose: ${n === 1 ? "1 comparison" : n + " comparisons"} in all. There is no hurry, and you can stop at any time.`,
  code: (code) => `This page was made for the code ${code}. It is stored with your answers; your name is not.`,
  describe: "About you (only if you like)",
  describeHint: "Stays in this page with your code, and is sent back with it. You can leave it empty.",
  kept: "Each answer is kept in this browser, on this device, as you give it. Save a file after each sitting all the same: browsers clear what they keep after a while.",
  notKept: "This browser keeps nothing: save your answers before you close this page.",
  lost: (n) => `This browser could not keep your last ${n === 1 ? "answer" : n + " answers"}: save before you close this page.`,
  elsewhere: "This packet is open in another tab or window, which has newer answers. Close this one, or load it again.",
  reload: "Load again",
  best: "Which is best?", bestWorst: "Which is best, then worst?", thenWorst: "Then: which is worst?", worst: "And which is worst?",
  tie: "Tie", none: "None is good", skip: "Skip", back: "Back", note: "Note", rubric: "Rubric", overview: "Overview",
  choose: (letter) => `Text ${letter}`, your: "Your answer", texts: "Texts",
  noteHint: "A note, if you like. It is kept with your answer.",
  suggested: "Suggested by the assistant",
  place: (n, of) => `${n} of ${of}`,
  practice: (n, of) => `Practice ${n} of ${of} · it counts nowhere`,
  right: "Right.", better: (letter) => `The better one is ${letter}.`, goOn: "Go on", goOnReal: "Go on to the first that counts",
  gave: {
    choice: (best, worst) => worst ? `You chose ${best}, and ${worst} as the worst.` : `You chose ${best}.`,
    tie: () => "You called it a tie.", none: () => "You found none good.", skip: () => "You skipped this one.",
  },
  takeBack: "Take it back", leave: "Leave it and go on", notRated: "Not rated",
  saved: "Saved.", notSaved: "Not kept by this browser.",
  end: "Overview", allDone: "All comparisons are answered",
  counted: (done, skipped, left) => `${done} answered, ${skipped} skipped, ${left} left.`,
  states: { done: "✓ answered", skipped: "↷ skipped", left: "○ left" },
  saveSoFar: "Save my answers so far", save: "Save my answers", send: "Send…", finish: "Finish", go: "Go on judging",
  sure: "Finish and lock my answers? Nothing can be changed afterwards.", finishSure: "Finish and lock", notYet: "Not yet",
  saveHint: "The saved file is this page with your answers in it. You can go on in it elsewhere.",
  finished: "Finished. Thank you!", locked: "Your answers are locked.",
  sendBack: "Save the file, and send it back to the person who gave you this page.",
  two: "Which answers do you want to go on with?",
  twoHint: "This file and this browser hold different answers to this packet. The others are not deleted from the file, but this browser keeps one set only.",
  fromFile: (n) => `Those in this file (${n})`, fromBrowser: (n) => `Those in this browser (${n})`,
};

const LETTERS = ["A", "B", "C"];
const IDLE = 120; // seconds: a longer gap between signs of life counts as so many
const SOURCE = "<!doctype html>\n" + document.documentElement.outerHTML;
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const packet = read("packet");
const settings = packet.settings;
const keeper = new Keeper(packet.packet);
const now = () => new Date().toISOString().replace("Z", "+00:00");
const wellFormed = (text) => text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return Seal.hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// ---- What was answered

let answers; // what the file holds and the browser keeps: see PageAnswers in core/judging/packets/page.py
let inForce = new Map(); // comparison → its judgment
let history = []; // comparisons in the order in which they were answered
let ratings = new Map(); // comparison → {"card criterion": its annotation}
let spent = new Map(); // comparison → active seconds
let unkept = 0; // changes that are in this tab alone
let unsaved = 0; // … and that no file has
let working = false; // an answer is being kept: a key pressed meanwhile belongs to nothing

function take(taken) {
  answers = taken;
  inForce = new Map();
  ratings = new Map();
  for (const row of answers.judgments) inForce.set(row.comparison_id, row);
  history = [];
  for (const row of answers.judgments) noteHistory(row);
  spent = new Map([...inForce].map(([id, row]) => [id, row.active_seconds]));
  for (const row of answers.annotations) if (row.kind === "criterion") noteRating(row);
}

function noteHistory(row) {
  history = history.filter((id) => id !== row.comparison_id);
  if (row.outcome !== "undone") history.push(row.comparison_id);
}

function noteRating(row) {
  const value = JSON.parse(row.value);
  ratings.set(row.target, { ...ratings.get(row.target), [value.card + " " + value.criterion]: { ...value, id: row.id } });
}

const locked = () => answers.revealed_at !== null;
const given = (id) => { const row = inForce.get(id); return row && row.outcome !== "undone" ? row : null; };
const practiceLeft = () =>
  (settings.practice || []).length > 0 && !answers.judgments.length && !answers.annotations.some((row) => row.kind === "practice");

function counts() {
  const rows = packet.comparisons.map((each) => given(each.id)).filter(Boolean);
  const skipped = rows.filter((row) => row.outcome === "skip").length;
  return { done: rows.length - skipped, skipped, left: packet.comparisons.length - rows.length };
}

/** Keep everything in this browser. Nothing is called kept that is not. */
async function keep(silently = false) {
  try {
    const kept = await keeper.write(JSON.stringify(answers));
    unkept = kept ? 0 : unkept + 1;
    unsaved += 1;
    if (!silently) speak(kept ? WORDS.saved : WORDS.notSaved);
  } catch (error) {
    show(elsewherePage());
    throw error;
  }
}

async function record(id, outcome, chosen = null, worst = null) {
  clock();
  const each = packet.comparisons.find((other) => other.id === id);
  const before = inForce.get(id);
  const note = settings.notes ? wellFormed(noteOf(id)) : "";
  const detail = detailOf(each, worst);
  if (before && [before.outcome, before.chosen, before.note, before.detail].join() === [outcome, chosen, note, detail].join()) return;
  const row = {
    id: uuid(), session_id: packet.session, comparison_id: id, outcome, chosen,
    shown: Seal.canonical(each.texts.map((_, card) => card)), texts_sha256: each.texts_sha256, note,
    active_seconds: Math.round(1000 * (spent.get(id) || 0)) / 1000, supersedes: before ? before.id : null,
    created_at: now(), detail,
  };
  row.row_sha256 = Seal.rowHash(row);
  answers.chain = Seal.next(answers.chain, row.row_sha256);
  answers.judgments.push(row);
  delete answers.drafts[id];
  inForce.set(id, row);
  noteHistory(row);
  await keep();
}

function detailOf(each, worst) {
  const detail = {};
  const advised = (settings.recommended || {})[each.id];
  if (advised !== undefined) detail.recommended = advised;
  if (worst !== null) detail.worst = worst;
  return Seal.canonical(detail);
}

async function rate(id, card, criterion, rating) {
  const before = (ratings.get(id) || {})[card + " " + criterion];
  if ((before ? before.rating : null) === rating) return;
  await annotate("criterion", id, { card, criterion, rating }, before ? before.id : null);
}

async function annotate(kind, target, value, supersedes) {
  const row = { id: uuid(), kind, target, rater_id: packet.rater, value: Seal.canonical(value), supersedes, created_at: now() };
  answers.annotations.push(row);
  if (kind === "criterion") noteRating(row);
  await keep();
}

const noteOf = (id) => answers.drafts[id] ?? (inForce.get(id) || {}).note ?? "";

/** Write the note that was changed on an answered comparison with its answer again, before it is left. */
async function keepChangedNote() {
  const id = at && at.id, row = id && given(id);
  if (!row || !settings.notes || locked()) return;
  if (wellFormed(noteOf(id)) !== row.note) await record(id, row.outcome, row.chosen, JSON.parse(row.detail).worst ?? null);
}

async function finish() {
  await keepChangedNote();
  answers.revealed_at = now();
  answers.seal = Seal.sealOf(packet.content_sha256, packet.session, answers);
  answers.chain = Seal.ended(answers.chain, answers.seal);
  at = null;
  await keep();
  show(endPage());
}

// ---- The file that is saved: this page, with the answers of now in it

function fileNow() {
  const { done } = counts();
  const name = `${packet.name}-${locked() ? "finished" : done + "-of-" + packet.comparisons.length}.html`;
  const hidden = (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0");
  const data = JSON.stringify(answers).replace(/[<>&]|[^ -~]/g, hidden);
  const old = document.getElementById("answers").textContent;
  const place = SOURCE.indexOf(old, SOURCE.indexOf(' id="answers">'));
  const whole = SOURCE.slice(0, place) + data + SOURCE.slice(place + old.length);
  return new File([whole], name, { type: "text/html" });
}

async function save() {
  if (at) await keepChangedNote();
  const file = fileNow();
  const link = el("a", { href: URL.createObjectURL(file), download: file.name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  unsaved = 0;
  speak(WORDS.saved);
}

async function send() {
  if (at) await keepChangedNote();
  const file = fileNow();
  await navigator.share({ files: [file], title: file.name }).then(() => { unsaved = 0; }, () => null);
}

const canSend = () => {
  try { return Boolean(navigator.canShare && navigator.canShare({ files: [new File(["."], "a.html", { type: "text/html" })] })); }
  catch { return false; }
};

// ---- Time: seconds between signs of life, and none while the page is not in view

let at = null; // the comparison that is shown
let practising = null;
let lastSign = performance.now();

function clock() {
  const seconds = Math.min(Math.max((performance.now() - lastSign) / 1000, 0), IDLE);
  lastSign = performance.now();
  if (practising) practising.seconds += seconds;
  else if (at && !locked()) spent.set(at.id, (spent.get(at.id) || 0) + seconds);
}

for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"]) {
  addEventListener(sign, clock, { passive: true });
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clock();
  else lastSign = performance.now();
});

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
  const place = document.getElementById("spoken");
  place.textContent = "";
  place.textContent = at && !locked() ? `${text} ${WORDS.place(1 + packet.comparisons.indexOf(at), packet.comparisons.length)}` : text;
}

const title = (text, tag = "h1") => el(tag, { text, tabindex: "-1" });
const act = (doing) => () => {
  if (working) return;
  working = true;
  Promise.resolve(doing()).catch((error) => { if (!(error instanceof NewerElsewhere)) throw error; }).finally(() => { working = false; });
};

addEventListener("keydown", (event) => {
  const typing = event.target.matches && event.target.matches("textarea, input[type=text]");
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const doing = event.ctrlKey || event.altKey || event.metaKey ? null : keys[event.key.toLowerCase()];
  if (event.repeat && (doing || event.key === "Enter" || event.key === " ")) event.preventDefault();
  else if (doing) {
    event.preventDefault();
    doing();
  }
}, true);

addEventListener("beforeunload", (event) => {
  if (unkept && unsaved) event.preventDefault();
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
    el("p", { text: WORDS.about(packet.comparisons.length, cards) }),
    settings.instructions && el("section", { class: "card" }, el("p", { class: "plain", text: settings.instructions })),
    el("section", { class: "card" },
      el("p", { class: "note", text: WORDS.code(packet.code) }),
      settings.ask_background && el("h2", { text: WORDS.describe }), settings.ask_background && own,
      settings.ask_background && el("p", { class: "note", text: WORDS.describeHint }),
      asks && el("h2", { text: WORDS.before }), asks && el("p", { class: "plain", text: settings.consent_text }),
      asks && el("label", { class: "agree" }, agreed, WORDS.agree),
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

function goNext() {
  if (practising) return show(ratingPage());
  goTo(nextLeft(at));
}

function goTo(each) {
  clock();
  at = each;
  best = null;
  noteOpen = false;
  show(at ? ratingPage() : endPage());
}

const goTowards = (each) => act(async () => {
  await keepChangedNote();
  goTo(each());
});

function answerBefore() {
  const here = at ? history.indexOf(at.id) : -1;
  const before = history[(here < 0 ? history.length : here) - 1];
  return packet.comparisons.find((each) => each.id === before) || at;
}

let best = null; // the best card, while the worst is asked for
let noteOpen = false;
let rubricOpen = false;

function ratingPage() {
  const each = practising ? practising.comparison() : at;
  const number = practising ? practising.place + 1 : packet.comparisons.indexOf(at) + 1;
  const wording = settings.wording[Number(each.wording)];
  const before = practising ? practising.answer : given(each.id);
  const asksWorst = settings.worst && each.texts.length === 3 && !practising;
  const askingWorst = asksWorst && best !== null;
  const own = settings.question || "";
  const asked = askingWorst ? WORDS.worst : asksWorst ? (own ? `${own} ${WORDS.thenWorst}` : WORDS.bestWorst) : own || WORDS.best;
  const chosen = askingWorst ? best : before && before.outcome === "choice" ? before.chosen : null;
  const letters = LETTERS.slice(0, each.texts.length);
  const rateable = settings.criterion_ratings && !practising ? wording.criteria : [];
  const answered = practising && practising.answer;

  const answer = (outcome, card = null) => act(async () => {
    if (practising) {
      practising.record(outcome, card);
      return show(ratingPage());
    }
    if (outcome === "choice" && asksWorst && best === null) {
      best = card;
      return show(ratingPage());
    }
    if (outcome === "choice" && card === best) return undefined;
    const [first, worst] = best === null ? [card, null] : [best, card];
    best = null;
    if (outcome === "choice") await record(each.id, outcome, first, worst);
    else await record(each.id, outcome);
    return goNext();
  });
  const goBack = () => {
    if (best === null) return goTowards(answerBefore)();
    best = null;
    return show(ratingPage());
  };
  const goOn = act(async () => {
    if (practising) {
      await practising.goOn();
      return goNext();
    }
    await keepChangedNote();
    return goTo(nextLeft(packet.comparisons[number - 2] || null));
  });
  const toggleNote = () => { noteOpen = !noteOpen; show(ratingPage()); if (noteOpen) page.querySelector("textarea").focus(); };
  const toggleRubric = () => { rubricOpen = !rubricOpen; show(ratingPage()); };

  const hasRubric = wording.criteria.length > 0 || Boolean(settings.instructions);
  const takesNotes = settings.notes && !practising;
  const cards = cardsOf(each, chosen, rateable);
  const draft = takesNotes && noteOpen && el("textarea", { "aria-label": WORDS.note, placeholder: WORDS.noteHint, oninput: typed });
  if (draft) draft.value = noteOf(each.id);

  const body = el("main", { class: "rating" },
    el("header", { class: "head" },
      el("div", { class: "row" },
        el("p", { class: "note", text: practising ? WORDS.practice(number, settings.practice.length) : WORDS.place(number, packet.comparisons.length) }),
        el("div", { class: "row" },
          hasRubric && button(WORDS.rubric, toggleRubric, { key: "G", "aria-pressed": String(rubricOpen), "data-act": "rubric" }),
          takesNotes && button(WORDS.note, toggleNote, { key: "N", "aria-pressed": String(noteOpen), "data-act": "note" }),
          !practising && button(WORDS.overview, goTowards(() => null)))),
      el("progress", { max: packet.comparisons.length, value: packet.comparisons.length - counts().left, "aria-hidden": "true" }),
      el("p", { class: "note", text: wording.title }),
      title(asked, "h2")),
    rubricOpen && hasRubric && el("section", { class: "panel", "aria-label": WORDS.rubric, tabindex: "0" },
      ...wording.criteria.map(([name, explanation]) => el("p", {}, el("strong", { text: name }), explanation ? " " + explanation : "")),
      settings.instructions && el("p", { class: "plain", text: settings.instructions })),
    draft && el("section", { class: "panel" }, draft),
    el("nav", { class: "tabs", "aria-label": WORDS.texts }, ...letters.map((letter, card) =>
      button(WORDS.choose(letter), () => cards.children[card].scrollIntoView({ inline: "center", block: "nearest" }), { "data-card": card }))),
    cards,
    el("footer", { class: "bar" },
      keptRow(),
      practising ? practiceWords() : before && !askingWorst && el("div", { class: "row wide" },
        el("p", { text: givenWords(before) }),
        button(WORDS.takeBack, act(async () => { await record(each.id, "undone"); show(ratingPage()); }), { class: "link" }),
        button(WORDS.leave, goOn, { class: "link" })),
      answered
        ? el("div", { class: "answers wide" }, button(practising.last ? WORDS.goOnReal : WORDS.goOn, goOn, { class: "primary", "data-act": "go on" }))
        : el("div", { class: "answers main", role: "group", "aria-label": asked }, ...letters.map((letter, card) =>
          button(letter, answer("choice", card), { key: String(card + 1), "aria-label": WORDS.choose(letter), "aria-pressed": String(card === chosen), disabled: askingWorst && card === best, "data-act": "choose " + card }))),
      !answered && el("div", { class: "answers", role: "group", "aria-label": WORDS.your },
        !askingWorst && button(WORDS.tie, answer("tie"), { key: "0", "aria-pressed": String(Boolean(before) && before.outcome === "tie"), "data-act": "tie" }),
        !askingWorst && button(WORDS.none, answer("none"), { key: "X", "aria-pressed": String(Boolean(before) && before.outcome === "none"), "data-act": "none" }),
        !askingWorst && button(WORDS.skip, answer("skip"), { key: "S", "data-act": "skip" }),
        !practising && button(WORDS.back, goBack, { key: "B", "data-act": "back", disabled: best === null && !history.length }))));

  const onKeys = answered ? {} : { 0: answer("tie"), x: answer("none"), s: answer("skip") };
  if (!answered) letters.forEach((_, card) => { onKeys[card + 1] = answer("choice", card); });
  if (askingWorst) ["0", "x", "s"].forEach((key) => delete onKeys[key]);
  if (!practising) onKeys.b = goBack;
  if (takesNotes) onKeys.n = toggleNote;
  if (hasRubric) onKeys.g = toggleRubric;
  return { body, onKeys, focus: answered ? body.querySelector(".primary") : null };
}

let typedTimer = null;
function typed(event) {
  answers.drafts[at.id] = event.target.value;
  clearTimeout(typedTimer);
  typedTimer = setTimeout(() => keep(true).catch(() => null), 800);
}

function givenWords(row) {
  const worst = JSON.parse(row.detail).worst;
  return WORDS.gave[row.outcome](LETTERS[row.chosen], LETTERS[worst]);
}

function cardsOf(each, chosen, criteria) {
  const advised = practising ? undefined : (settings.recommended || {})[each.id];
  const cards = el("section", { class: "cards", "aria-label": WORDS.texts });
  each.texts.forEach((text, card) => {
    const letter = LETTERS[card];
    cards.append(el("article", { class: card === chosen ? "one chosen" : "one", "data-card": card, "aria-label": WORDS.choose(letter) },
      el("h2", { text: letter }),
      advised === card && el("p", { class: "suggested", text: WORDS.suggested }),
      el("p", { class: "text", dir: "auto", tabindex: "0", text }),
      el("div", { class: "end" }),
      ...criteria.map(([criterion, explanation]) => scaleOf(each, card, criterion, explanation))));
  });
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const tab = page.querySelector(`.tabs [data-card="${entry.target.dataset.card}"]`);
      if (tab) tab.setAttribute("aria-pressed", String(entry.intersectionRatio > 0.5));
    }
  }, { threshold: [0, 0.5, 0.6] });
  for (const one of cards.children) seen.observe(one);
  return cards;
}

function scaleOf(each, card, criterion, explanation) {
  const rated = ((ratings.get(each.id) || {})[card + " " + criterion] || {}).rating ?? null;
  const group = `${each.id} ${card} ${criterion}`;
  const step = (rating, text) => el("label", { class: "pick", title: rating === null ? WORDS.notRated : undefined },
    el("input", { type: "radio", name: group, "aria-label": rating === null ? WORDS.notRated : String(rating), onchange: act(() => rate(each.id, card, criterion, rating)), ...(rating === rated ? { checked: true } : {}) }), text);
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
    record(outcome, chosen) {
      this.answer = { outcome, chosen, detail: "{}" };
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
  const file = read("answers");
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
