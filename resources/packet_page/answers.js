/* The answers: what is in force, what is written next, and how long each text was in view. */

const LETTERS = ["A", "B", "C"];
const IDLE = 120; // seconds: a longer gap between signs of life counts as so many
const SOURCE = "<!doctype html>\n" + document.documentElement.outerHTML;
const ANSWERED = ["choice", "tie", "none"];
const readData = (id) => JSON.parse(document.getElementById(id).textContent);
const packet = readData("packet");
const settings = packet.settings;
const keeper = new Keeper(packet.packet);
const now = () => new Date().toISOString().replace("Z", "+00:00");
const wellFormed = (text) => text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) => (found.length === 2 ? found : "\ufffd"));
const thousandths = (seconds) => Math.round(1000 * seconds) / 1000;

function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return Seal.hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

let answers; // what the file holds and the browser keeps: see PageAnswers in core/judging/packets/page.py
let inForce = new Map(); // comparison → its judgment, with its detail parsed
let history = []; // comparisons in the order in which they were answered
let ratings = new Map(); // comparison → {"card criterion": its annotation}
let spent = new Map(); // comparison → active seconds
let views = new Map(); // comparison → by card {seconds, end}
let toldUnread = false; // that an answer came before the end of a text was in view: said once
let unkept = 0; // changes that are in this tab alone
let unsaved = 0; // … and that no file has
let working = false; // an answer is being kept: a key pressed meanwhile belongs to nothing
let at = null; // the comparison that is shown
let practising = null;

function take(taken) {
  answers = taken;
  [inForce, ratings, spent, views, history] = [new Map(), new Map(), new Map(), new Map(), []];
  for (const row of answers.judgments) put(row);
  for (const [id, row] of inForce) {
    spent.set(id, row.active_seconds);
    if (row.detail.viewed) views.set(id, row.detail.viewed.map((view) => ({ ...view })));
    toldUnread ||= ANSWERED.includes(row.outcome) && unread(id).length > 0;
  }
  for (const row of answers.annotations) if (row.kind === "criterion") putRating(row);
}

function put(row) {
  const id = row.comparison_id;
  inForce.set(id, { ...row, detail: JSON.parse(row.detail) });
  history = history.filter((other) => other !== id);
  if (row.outcome !== "undone") history.push(id);
}

function putRating(row) {
  const value = JSON.parse(row.value);
  ratings.set(row.target, { ...ratings.get(row.target), [value.card + " " + value.criterion]: { ...value, id: row.id } });
}

const locked = () => answers.revealed_at !== null;
const given = (id) => { const row = inForce.get(id); return row && row.outcome !== "undone" ? row : null; };
const noteOf = (id) => answers.drafts[id] ?? (inForce.get(id) || {}).note ?? "";
const marksOf = (id) => answers.marks[id] ?? ((inForce.get(id) || {}).detail || {}).spans ?? [];
const unread = (id) => (views.get(id) || []).flatMap((view, card) => (view.end ? [] : [card]));
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

/** Write an answer: {outcome, chosen, worst, degree, confidence}, cards as shown. One that is the same is not written. */
async function record(id, given) {
  clock();
  const each = packet.comparisons.find((other) => other.id === id);
  const before = inForce.get(id);
  const note = settings.notes ? wellFormed(noteOf(id)) : "";
  const detail = detailOf(each, given);
  const same = (outcome, chosen, written, its) => Seal.canonical([outcome, chosen, written, { ...its, viewed: (its.viewed || []).map((view) => view.end) }]);
  const chosen = given.chosen ?? null;
  if (before && same(before.outcome, before.chosen, before.note, before.detail) === same(given.outcome, chosen, note, detail)) return;
  const row = {
    id: uuid(), session_id: packet.session, comparison_id: id, outcome: given.outcome, chosen,
    shown: Seal.canonical(each.texts.map((_, card) => card)), texts_sha256: each.texts_sha256, note,
    active_seconds: thousandths(spent.get(id) || 0), supersedes: before ? before.id : null,
    created_at: now(), detail: Seal.canonical(detail),
  };
  row.row_sha256 = Seal.rowHash(row);
  answers.chain = Seal.next(answers.chain, row.row_sha256);
  answers.judgments.push(row);
  delete answers.drafts[id];
  delete answers.marks[id];
  put(row);
  await keep();
}

function detailOf(each, { worst, degree, confidence }) {
  const seen = views.get(each.id);
  const spans = marksOf(each.id);
  const detail = {
    recommended: (settings.recommended || {})[each.id], worst, degree, confidence,
    spans: settings.spans && spans.length ? spans : undefined,
    viewed: seen && seen.map((view) => ({ seconds: thousandths(view.seconds), end: view.end })),
  };
  return Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined && value !== null));
}

const answerOf = (row) => ({ ...row.detail, outcome: row.outcome, chosen: row.chosen });

async function rate(id, card, criterion, rating) {
  const before = (ratings.get(id) || {})[card + " " + criterion];
  if ((before ? before.rating : null) === rating) return;
  await annotate("criterion", id, { card, criterion, rating }, before ? before.id : null);
}

async function annotate(kind, target, value, supersedes) {
  const row = { id: uuid(), kind, target, rater_id: packet.rater, value: Seal.canonical(value), supersedes, created_at: now() };
  answers.annotations.push(row);
  if (kind === "criterion") putRating(row);
  await keep();
}

/** Write a note or marked words that were changed on an answered comparison with its answer again, before it is left. */
async function keepChanged() {
  const row = at && !locked() && given(at.id);
  if (row && (at.id in answers.drafts || at.id in answers.marks)) await record(at.id, answerOf(row));
}

async function finish() {
  await keepChanged();
  answers.revealed_at = now();
  answers.seal = Seal.sealOf(packet.content_sha256, packet.session, answers);
  answers.chain = Seal.ended(answers.chain, answers.seal);
  at = null;
  await keep();
  show(endPage());
}

// ---- Marked words: [card, first character, one behind the last], in code points of the text without its blanks

function joined(spans) {
  const sorted = [...spans].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  return sorted.reduce((done, [card, start, end]) => {
    const last = done[done.length - 1];
    if (last && last[0] === card && start <= last[2]) last[2] = Math.max(last[2], end);
    else done.push([card, start, end]);
    return done;
  }, []);
}

/** Mark words; those that are marked already are not any more. */
async function mark(id, [card, start, end]) {
  const spans = marksOf(id);
  const inside = spans.some((span) => span[0] === card && span[1] <= start && end <= span[2]);
  const without = spans.flatMap((span) => (span[0] !== card ? [span] : [[card, span[1], Math.min(span[2], start)], [card, Math.max(span[1], end), span[2]]]))
    .filter((span) => span[1] < span[2]);
  answers.marks[id] = inside ? without : joined([...spans, [card, start, end]]);
  await keep();
}

// ---- Time: seconds between signs of life, and none while the page is not in view

let lastSign = performance.now();
let inView = []; // by card of the comparison that is shown
let endInView = [];

function clock() {
  const seconds = Math.min(Math.max((performance.now() - lastSign) / 1000, 0), IDLE);
  lastSign = performance.now();
  if (practising) practising.seconds += seconds;
  if (practising || !at || locked()) return;
  spent.set(at.id, (spent.get(at.id) || 0) + seconds);
  const seen = views.get(at.id) || at.texts.map(() => ({ seconds: 0, end: false }));
  views.set(at.id, seen.map((view, card) => ({ seconds: view.seconds + (inView[card] ? seconds : 0), end: view.end || Boolean(endInView[card]) })));
}

/** Follow which cards of this page are in view, and which of their ends. */
function watch(cards) {
  [inView, endInView] = [[], []];
  const watcher = new IntersectionObserver((entries) => {
    clock();
    for (const { target, isIntersecting, intersectionRect, boundingClientRect } of entries) {
      const card = Number(target.dataset.card);
      if (target.className === "end") {
        endInView[card] = isIntersecting;
        continue;
      }
      inView[card] = isIntersecting && intersectionRect.width > boundingClientRect.width / 2;
      const tab = document.querySelector(`.tabs [data-card="${card}"]`);
      if (tab) tab.setAttribute("aria-pressed", String(inView[card]));
    }
    clock();
  }, { threshold: [0, 0.25, 0.5, 0.75] });
  for (const part of cards.querySelectorAll(".one, .end")) watcher.observe(part);
}

for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"]) {
  addEventListener(sign, clock, { passive: true });
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clock();
  else lastSign = performance.now();
});

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
  if (at) await keepChanged();
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
  if (at) await keepChanged();
  const file = fileNow();
  await navigator.share({ files: [file], title: file.name }).then(() => { unsaved = 0; }, () => null);
}

const canSend = () => {
  try { return Boolean(navigator.canShare && navigator.canShare({ files: [new File(["."], "a.html", { type: "text/html" })] })); }
  catch { return false; }
};
