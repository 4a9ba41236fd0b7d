"use strict";
/* The dashboard. Reads /status after each event of /events (and every two seconds), /api/v1/history for
 * the plots and the timelines of running jobs for the waterfall. Nothing is written with innerHTML: what
 * clients call their jobs stays text. */

const $ = (id) => document.getElementById(id);
const CLASSES = ["key", "shape", "request", "witness", "scratch", "pinned"];
const SVG = "http://www.w3.org/2000/svg";

/* ---- small things ---- */

function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "onclick") e.onclick = value;
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function shape(name, attributes, text) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (n >= 999.5 && unit < units.length - 1) { n /= 1024; unit++; }
  return (unit === 0 || n >= 99.95 ? n.toFixed(0) : n >= 9.995 ? n.toFixed(1) : n.toFixed(2)) + " " + units[unit];
}

function duration(seconds) {
  if (seconds < 0) seconds = 0;
  if (seconds < 10) return seconds.toFixed(1) + " s";
  if (seconds < 60) return seconds.toFixed(0) + " s";
  if (seconds < 3600) return Math.floor(seconds / 60) + " m " + String(Math.floor(seconds % 60)).padStart(2, "0") + " s";
  if (seconds < 86400) return Math.floor(seconds / 3600) + " h " + Math.floor(seconds % 3600 / 60) + " m";
  return Math.floor(seconds / 86400) + " d " + Math.floor(seconds % 86400 / 3600) + " h";
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function toast(text, good) {
  $("toast").textContent = text;
  $("toast").className = good ? "good" : "";
  $("toast").hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { $("toast").hidden = true; }, 6000);
}

/* ---- asking the daemon ---- */

async function ask(path, options) {
  const headers = {};
  const token = localStorage.getItem("cuzk-token");
  if (token) headers.Authorization = "Bearer " + token;
  const answer = await fetch(path, { headers, ...options });
  if (answer.status === 401) {
    askToken();
    throw new Error("this daemon asks for a token");
  }
  return answer;
}

function askToken() {
  if ($("ask-token").open) return;
  $("ask-token").showModal();
  $("ask-token").onclose = () => {
    localStorage.setItem("cuzk-token", $("token").value);
    refresh();
    listen();
  };
}

async function act(method, path, said) {
  try {
    const answer = await ask(path, { method });
    const body = await answer.json();
    if (answer.ok) toast(said, true);
    else toast(body.error);
  } catch (fault) {
    toast(String(fault.message));
  }
  refresh();
}

/* ---- the parts of the page ---- */

function drawHeader(s) {
  const pill = $("state");
  const [text, kind] = s.draining ? ["draining", "warn"] : s.memory.pressure ? ["memory pressure", "warn"] : ["serving", "good"];
  pill.textContent = text;
  pill.className = "pill " + kind;
  document.title = "cuzk · " + s.synthesis.active + " running, " + s.counters.queue_depth + " waiting";
  $("about").textContent = "version " + s.version + " · up " + duration(s.uptime_secs);
  const totals = [["running", s.synthesis.active], ["waiting", s.counters.queue_depth], ["done", s.counters.total_completed],
    ["failed", s.counters.total_failed]];
  $("totals").replaceChildren(...totals.map(([name, n]) =>
    element("div", {}, element("dt", {}, name),
      element("dd", { class: name === "failed" && n > 0 ? "failed" : null }, n.toLocaleString("en")))));
}

function segment(fraction, name) {
  const e = element("span", { class: name === "held" ? "held" : null });
  e.style.width = (100 * fraction).toFixed(3) + "%";
  if (name !== "held") e.style.background = "var(--" + name + ")";
  return e;
}

function drawBudget(s) {
  const m = s.memory, total = Math.max(m.total_bytes, 1);
  const taken = CLASSES.reduce((sum, c) => sum + m.classes[c], 0);
  const held = Math.max(0, m.used_bytes - taken);
  $("budget-figures").replaceChildren(element("b", {}, bytes(m.used_bytes)), " reserved of ", element("b", {}, bytes(m.total_bytes)),
    " · the kernel counts " + bytes(m.metered_bytes) + ", at most " + bytes(m.metered_peak_bytes) + " so far");
  $("budget-bar").replaceChildren(...CLASSES.map((c) => segment(m.classes[c] / total, c)), segment(held / total, "held"));
  const swatch = (name) => {
    const i = element("i", { class: name === "held" ? "held" : null });
    if (name !== "held") i.style.background = "var(--" + name + ")";
    return i;
  };
  const free = Math.max(0, m.total_bytes - m.used_bytes);
  $("budget-legend").replaceChildren(
    ...CLASSES.map((c) => element("li", {}, swatch(c), c, element("b", {}, bytes(m.classes[c])))),
    element("li", {}, swatch("held"), "reserved, not taken", element("b", {}, bytes(held))),
    element("li", {}, swatch("track"), "free", element("b", {}, bytes(free))),
    element("li", { class: "dim" }, "of it for WinningPoSt", element("b", {}, bytes(m.urgent_reserve_bytes))));
}

/* A card's memory: what is spoken for, and before its end what is for WinningPoSt. */
function cardBar(card) {
  if (!card) return null;
  const total = Math.max(card.total_bytes, 1);
  const bar = element("div", { class: "bar card-memory", role: "img", "aria-label": "memory of the card",
    title: bytes(card.used_bytes) + " reserved of " + bytes(card.total_bytes) + ", " + bytes(card.urgent_reserve_bytes) + " for WinningPoSt" });
  bar.append(segment(Math.min(1, card.used_bytes / total), "key"));
  return bar;
}

function drawWorkers(s) {
  const jobs = new Map(s.jobs.map((j) => [j.job_id, j]));
  $("workers").replaceChildren(...s.gpu_workers.map((w) => {
    const job = jobs.get(w.current_job);
    const state = w.pid === 0 ? "down" : w.current_job ? "busy" : "idle";
    const bar = element("div", { class: "bar" });
    if (job) bar.append(segment(job.partitions ? job.partitions_done / job.partitions : 0, "accent"));
    const card = s.memory.devices.find((d) => d.worker === w.name);
    const memory = card
      ? "card " + bytes(card.used_bytes) + " of " + bytes(card.total_bytes)
      : job ? bytes(w.used_bytes) + " of " + bytes(w.budget_bytes) : bytes(w.used_bytes);
    return element("div", { class: "tile " + state },
      element("header", {}, element("span", { class: "dot" }), w.name, element("span", { class: "dim" }, w.device || w.backend),
        element("span", { class: "gap" }),
        element("span", { class: "dim" }, w.pid === 0 ? "restarting" : w.paused ? "makes way" : w.current_job ? duration(w.busy_secs) : "idle")),
      element("div", { class: "job", title: w.current_job || "" }, job ? job.circuit + " · " + job.request_id : "\u2013"),
      element("div", { class: "stage" }, w.stage || ""),
      bar,
      cardBar(card),
      element("div", { class: "small" }, element("span", {}, job ? job.partitions_done + " of " + job.partitions + " partitions" : ""),
        element("span", {}, memory)));
  }));
}

function head(...names) {
  return element("tr", {}, ...names.map((n) => element("th", { class: n.startsWith(">") ? "right" : null }, n.replace(">", ""))));
}

function drawQueue(s) {
  const running = s.jobs.filter((j) => j.state === "running"), waiting = s.jobs.filter((j) => j.state === "waiting");
  const now = s.now_ms / 1e3;
  $("queue-figures").textContent = running.length + " running, " + waiting.length + " waiting";
  $("queue").replaceChildren(head("", "job", "circuit", "waits for / is at", ">memory", ">since", ""),
    ...running.length + waiting.length === 0 ? [element("tr", {}, element("td", { colspan: 7, class: "why" }, "nothing runs, nothing waits"))] : [],
    ...[...running, ...waiting].map((j) => element("tr", { class: j.state === "running" ? "pick" : null, onclick: j.state === "running" ? () => pin(j.job_id) : null },
      element("td", { class: j.priority }, j.state === "running" ? "\u25b6" : String(j.queue_position)),
      element("td", { class: "id", title: j.job_id + ", " + j.priority }, j.request_id),
      element("td", { class: "circuit" }, j.circuit),
      element("td", { class: "why", title: j.why }, j.cancelling ? "being cancelled" : (j.state === "running" ? j.stage : j.why) || ""),
      element("td", { class: "right" }, bytes(j.reserved_bytes)),
      element("td", { class: "right" }, duration(now - (j.started_ms || j.submitted_ms) / 1e3)),
      element("td", { class: "right" }, element("button", { class: "danger", "data-cancel": j.job_id, onclick: (event) => {
        event.stopPropagation();
        act("DELETE", "/api/v1/jobs/" + encodeURIComponent(j.job_id), "cancelled " + j.request_id);
      } }, "cancel")))));
}

function drawRecent(s) {
  const rows = s.recent.slice(0, 60).map((j) => {
    const tr = element("tr", { class: "pick" + (j.job_id === pinned ? " pinned" : ""), onclick: () => pin(j.job_id) },
      element("td", { class: j.state }, j.state),
      element("td", { class: "id", title: j.job_id }, j.request_id),
      element("td", { class: "circuit" }, j.circuit),
      element("td", { class: "right" }, duration(j.queue_wait_ms / 1e3)),
      element("td", { class: "right" }, duration((j.finished_ms - (j.started_ms || j.finished_ms)) / 1e3)),
      element("td", { class: "right dim" }, new Date(j.finished_ms).toLocaleTimeString("en-GB")));
    return j.error ? [tr, element("tr", {}, element("td", {}), element("td", { class: "error", colspan: 5 }, j.error))] : [tr];
  });
  $("recent").replaceChildren(head("", "job", "circuit", ">waited", ">ran", ">ended"), ...rows.flat());
}

function drawKeys(s) {
  const post = (k, verb, said) => act("POST", "/api/v1/keys/" + encodeURIComponent(k.circuit_id) + "/" + verb, said);
  $("keys").replaceChildren(head("circuit", "", "where", ">of the budget", ">file", ">idle", ""),
    ...s.allocations.srs.map((k) => element("tr", {},
      element("td", { class: "circuit" }, k.circuit_id),
      element("td", { class: k.tier === "hot" ? "done" : "dim" }, { hot: "in use", warm: "loaded", cold: "not loaded" }[k.tier]),
      element("td", { class: "dim" }, k.worker),
      element("td", { class: "right" }, k.tier === "cold" ? "" : bytes(k.bytes) + (k.device_bytes ? " + " + bytes(k.device_bytes) : "")),
      element("td", { class: "right" }, bytes(k.file_bytes)),
      element("td", { class: "right" }, k.tier === "warm" ? duration(k.last_used_secs_ago) : ""),
      element("td", { class: "right" },
        k.evictable ? element("button", { class: "danger", "data-evict": k.circuit_id, onclick: () => post(k, "evict", "evicted " + k.circuit_id) }, "evict")
          : k.tier === "cold" ? element("button", { "data-preload": k.circuit_id, onclick: () => post(k, "preload", "loaded " + k.circuit_id) }, "load") : null))));
}

function drawHealth(s) {
  const c = s.counters;
  const figures = [["accepted", c.accepted], ["attached to a job", c.attached], ["refused", c.refused], ["cancelled", c.total_cancelled],
    ["begun again", c.retries, 1], ["workers lost", c.worker_deaths, 1], ["bad proofs caught", c.verify_failures, 1], ["poisoned", c.poisoned, 1],
    ["made way for urgent", c.preemptions], ["spooled", bytes(s.disk.spool_bytes)], ["disk free", bytes(s.disk.free_bytes), s.disk.free_bytes < s.disk.reserve_bytes]];
  $("health").replaceChildren(...figures.map(([name, value, alarming]) =>
    element("div", { class: alarming && value !== 0 ? "bad" : null }, element("dt", {}, name),
      element("dd", {}, typeof value === "number" ? value.toLocaleString("en") : value))));
}

/* ---- the waterfall ---- */

let pinned = null;

const STAGES = [["prepare", /wait|read|record|key/], ["witness", /witness|synth/], ["quotient", /rows|quotient|ntt/], ["sums", /sum|msm/],
  ["verify", /verif|assemble/], ["other", /./]];
const STAGE_COLOURS = { prepare: "request", witness: "witness", quotient: "shape", sums: "key", verify: "pinned", other: "other" };
const stageOf = (name) => STAGES.find(([, pattern]) => pattern.test(name))[0];

function pin(id) {
  pinned = pinned === id ? null : id;
  drawWaterfall();
  if (status) drawRecent(status);
}

/* The spans of a timeline with the partition of each; -1: of the whole job. "partition 3: witness" begins a
 * partition, and what is indented after it belongs to it. */
function spansOf(trace, runningSince) {
  const spans = [], current = {};
  const events = (Array.isArray(trace) ? trace : trace.traceEvents || []).filter((e) => e.ph === "X");
  for (const e of events.sort((a, b) => a.ts - b.ts)) {
    const named = /^\s*partition (\d+):?\s*/.exec(e.name);
    if (named) current[e.tid] = Number(named[1]);
    const partition = named || (/^\s/.test(e.name) && e.tid in current) ? current[e.tid] : -1;
    spans.push({ partition, name: (named ? e.name.slice(named[0].length) : e.name.trim()) || "all", begin: e.ts / 1e6, end: (e.ts + e.dur) / 1e6 });
  }
  /* What a running job is at goes on: its span is known up to the last report only. */
  const last = spans.length ? spans[spans.length - 1] : null;
  if (last && runningSince !== undefined) last.end = Math.max(last.end, status.now_ms / 1e3 - runningSince);
  const first = Math.min(...spans.map((s) => s.begin));
  for (const s of spans) { s.begin -= first; s.end -= first; }
  return spans;
}

function niceStep(span) {
  const raw = span / 6, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw);
}

function drawJobWaterfall(job, spans, width) {
  const ofJob = spans.some((s) => s.partition < 0) ? 1 : 0;
  const left = 34, top = 22, row = job.partitions > 12 ? 11 : 14, rows = Math.max(job.partitions, 1) + ofJob;
  const end = Math.max(...spans.map((s) => s.end), 0.1);
  const x = (t) => left + (width - left - 12) * t / end;
  const svg = shape("svg", { width, height: top + rows * row + 22, viewBox: `0 0 ${width} ${top + rows * row + 22}`, role: "img" });
  svg.append(shape("text", { x: 0, y: 13, class: "job" }, job.circuit + " · " + job.request_id));
  for (let i = 0; i < rows; i++) {
    svg.append(shape("rect", { x: left, y: top + i * row + 1, width: width - left - 12, height: row - 3, class: "lane", rx: 2 }));
    if (rows <= 12 || i % 2 === 0) svg.append(shape("text", { x: left - 8, y: top + i * row + row - 4, "text-anchor": "end" }, i < ofJob ? "job" : i - ofJob));
  }
  for (let t = 0, step = niceStep(end); t <= end; t += step) {
    svg.append(shape("line", { x1: x(t), x2: x(t), y1: top, y2: top + rows * row, class: "grid" }));
    svg.append(shape("text", { x: x(t), y: top + rows * row + 14, "text-anchor": "middle" }, Number(t.toPrecision(3)) + " s"));
  }
  for (const s of spans) {
    const bar = shape("rect", { x: x(s.begin), y: top + (s.partition + ofJob) * row + 1, width: Math.max(x(s.end) - x(s.begin) - 0.5, 1), height: row - 3, rx: 2 });
    bar.style.fill = "var(--" + STAGE_COLOURS[stageOf(s.name)] + ")";
    bar.append(shape("title", {}, `${s.partition < 0 ? "job" : "partition " + s.partition}: ${s.name}, ${(s.end - s.begin).toFixed(2)} s`));
    svg.append(bar);
  }
  return svg;
}

async function drawWaterfall() {
  if (!status) return;
  const all = [...status.jobs, ...status.recent];
  let jobs = pinned ? all.filter((j) => j.job_id === pinned) : status.jobs.filter((j) => j.state === "running").slice(0, 3);
  if (jobs.length === 0) jobs = status.recent.filter((j) => j.started_ms > 0).slice(0, 1);
  $("waterfall-title").textContent = pinned ? "Partitions of one job" : "Partitions";
  $("unpin").hidden = !pinned;
  const width = Math.max($("waterfall").clientWidth - 2, 300), drawn = [];
  for (const job of jobs) {
    try {
      const answer = await ask("/api/v1/jobs/" + encodeURIComponent(job.job_id) + "/trace");
      const spans = answer.ok ? spansOf(await answer.json(), job.state === "running" ? job.submitted_ms / 1e3 : undefined) : [];
      if (spans.length) drawn.push(drawJobWaterfall(job, spans, width));
    } catch (fault) { /* told by refresh */ }
  }
  $("waterfall").replaceChildren(...(drawn.length ? drawn : [element("div", { class: "empty" }, "no job is running")]));
}

/* ---- plots ---- */

const history = {};
const COLUMNS = ["time_ms", "reserved", "metered", "waiting", "running", "done", "failed", ...CLASSES];
for (const c of COLUMNS) history[c] = [];
const plots = {};
const RATE_WINDOW_S = 120;

async function readHistory() {
  const last = history.time_ms.length ? history.time_ms[history.time_ms.length - 1] : 0;
  const more = await (await ask("/api/v1/history?since=" + last)).json();
  for (const c of COLUMNS) history[c].push(...more[c]);
  const old = history.time_ms.findIndex((t) => t > history.time_ms[history.time_ms.length - 1] - 3600e3);
  if (old > 0) for (const c of COLUMNS) history[c].splice(0, old);
  history.budget = more.budget;
}

/* Proofs a minute over the last two minutes, at each sample. */
function rates() {
  const out = [];
  let from = 0;
  for (let i = 0; i < history.time_ms.length; i++) {
    while (history.time_ms[i] - history.time_ms[from] > RATE_WINDOW_S * 1e3) from++;
    const minutes = Math.max(history.time_ms[i] - history.time_ms[from], 10e3) / 60e3;
    out.push(Math.max(0, history.done[i] - history.done[from]) / minutes);
  }
  return out;
}

function clock(seconds, minutesOnly) {
  return new Date(seconds * 1e3).toLocaleTimeString("en-GB", minutesOnly ? { hour: "2-digit", minute: "2-digit" } : {});
}

function axes(format) {
  const style = { stroke: colour("dim"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line") }, font: "11px system-ui" };
  return [{ ...style, space: 90, values: (u, ticks) => ticks.map((t) => clock(t, ticks[ticks.length - 1] - ticks[0] > 300)) },
    { ...style, size: 66, values: (u, ticks) => ticks.map(format) }];
}

const BINARY_STEPS = [];
for (let power = 0; power < 50; power++) BINARY_STEPS.push(2 ** power);

function makePlot(id, series, format, range) {
  const box = $(id);
  return new uPlot({
    width: box.clientWidth, height: box.clientHeight - 28, series: [{ value: (u, t) => t === null ? "" : clock(t) }, ...series],
    axes: axes(format).map((axis, i) => i === 1 && id === "memory-plot" ? { ...axis, incrs: BINARY_STEPS } : axis),
    scales: { y: { range } }, legend: { live: true }, cursor: { y: false },
  }, [[]], box);
}

function line(label, name, format, extra) {
  return { label, stroke: colour(name), width: 2, points: { show: false }, value: (u, v) => v === null || v === undefined ? "" : format(v), ...extra };
}

/* Classes are stacked: each line is the sum of those below it and fills down to zero, largest first. */
function stacked() {
  const sums = [];
  CLASSES.forEach((c, i) => sums.push(history[c].map((v, k) => v + (i ? sums[i - 1][k] : 0))));
  return sums;
}

function drawPlots() {
  const times = history.time_ms.map((t) => t / 1e3);
  if (times.length < 2) return;
  if (!plots.memory) {
    const areas = CLASSES.map((c, i) => line(c, c, bytes, {
      fill: colour(c) + "cc", width: 1,
      value: (u, v, s, k) => k === null || k === undefined ? "" : bytes(history[c][k]),
    })).reverse();
    plots.memory = makePlot("memory-plot", [...areas, line("reserved", "dim", bytes, { dash: [6, 4] }), line("budget", "bad", bytes, { width: 1.5 })],
      bytes, (u, low, high) => [0, Math.max(high, history.budget) * 1.04]);
    plots.rate = makePlot("rate-plot", [line("proofs a minute", "accent", (v) => v.toFixed(1), { fill: colour("accent") + "22" }),
      line("waiting", "warn", String, { paths: uPlot.paths.stepped({ align: 1 }) }), line("running", "key", String, { paths: uPlot.paths.stepped({ align: 1 }) })],
      (v) => Number(v.toPrecision(3)).toString(), (u, low, high) => [0, Math.max(1, high * 1.1)]);
  }
  const perMinute = rates();
  plots.memory.setData([times, ...stacked().reverse(), history.reserved, times.map(() => history.budget)]);
  plots.rate.setData([times, perMinute, history.waiting, history.running]);
  $("rate").replaceChildren(element("b", {}, perMinute[perMinute.length - 1].toFixed(1)), " proofs a minute");
}

function remakePlots() {
  for (const name of Object.keys(plots)) { plots[name].destroy(); delete plots[name]; }
  drawPlots();
}

/* ---- life ---- */

let status = null, refreshing = false, again = false;

function draw(s) {
  drawHeader(s);
  drawBudget(s);
  drawWorkers(s);
  drawQueue(s);
  drawRecent(s);
  drawKeys(s);
  drawHealth(s);
}

async function refresh() {
  if (refreshing) { again = true; return; }
  refreshing = true;
  try {
    status = await (await ask("/status")).json();
    draw(status);
  } catch (fault) {
    $("state").textContent = "not reachable";
    $("state").className = "pill bad";
  }
  setTimeout(() => { refreshing = false; if (again) { again = false; refresh(); } }, 300);
}

/* Events by a stream that fetch reads (EventSource cannot send a token). */
async function listen() {
  const generation = listen.generation = (listen.generation || 0) + 1;
  while (generation === listen.generation) {
    try {
      const reader = (await ask("/events")).body.getReader();
      for (let part = await reader.read(); !part.done && generation === listen.generation; part = await reader.read()) refresh();
    } catch (fault) { /* the pill tells */ }
    await new Promise((go) => setTimeout(go, 2000));
  }
}

async function redrawPlots() {
  try {
    await readHistory();
    drawPlots();
  } catch (fault) { /* the pill tells */ }
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  remakePlots();
}

function start() {
  const wished = new URLSearchParams(location.search).get("theme") || localStorage.getItem("cuzk-theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  setTheme(wished || (system.matches ? "dark" : "light"));
  system.onchange = () => { if (!localStorage.getItem("cuzk-theme")) setTheme(system.matches ? "dark" : "light"); };
  $("theme").onclick = () => {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("cuzk-theme", name);
    setTheme(name);
  };
  $("unpin").onclick = () => pin(pinned);
  $("stage-legend").replaceChildren(...STAGES.map(([name]) => {
    const i = element("i");
    i.style.background = "var(--" + STAGE_COLOURS[name] + ")";
    return element("li", {}, i, name);
  }));
  addEventListener("resize", () => { remakePlots(); drawWaterfall(); });
  refresh().then(drawWaterfall);
  redrawPlots();
  listen();
  setInterval(refresh, 2000);
  setInterval(redrawPlots, 2000);
  setInterval(drawWaterfall, 1000);
}

start();
