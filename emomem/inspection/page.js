
"use strict";
(() => {
  const STEP = 60;
  const HOUR = 3600;
  const NEVER = 253402300799;
  const at = (id) => document.getElementById(id);
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  let view = { memories: [], conflicts: [], operations: [], answers: [] };
  let held = new Map();
  let passing = [];
  let token = "";
  let shown = STEP;

  // Every text goes in as a text node: nothing that a memory says is ever read as HTML.
  const make = (tag, attributes = {}, ...inside) => {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") { one.addEventListener(name, value); }
      else if (value !== null && value !== undefined && value !== false) {
        one.setAttribute(name, value === true ? "" : String(value));
      }
    }
    one.append(...inside.flat().filter((part) => part !== null && part !== undefined && part !== ""));
    return one;
  };
  const fill = (place, ...inside) => place.replaceChildren(...inside.flat().filter(Boolean));
  const known = (value) => value !== null && value !== undefined;
  const plural = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
  const words = (name) => name.replaceAll("_", " ");
  const iso = (seconds) => new Date(seconds * 1000).toISOString();
  const date = (seconds) => iso(seconds).slice(0, 10);
  const moment = (seconds) => make("time", { datetime: iso(seconds) }, `${date(seconds)} ${iso(seconds).slice(11, 16)}`);
  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

  const say = (text) => { at("said").textContent = text; };

  // A bar, and the number beside it: nothing is told by colour. Of a signed scale the middle is 0.
  const meter = (name, value, isSigned) => {
    if (!known(value)) { return null; }
    const bar = make("span", { class: "fill" });
    const inside = Math.max(isSigned ? -1 : 0, Math.min(1, value));
    bar.style.left = `${isSigned ? 50 + Math.min(0, inside) * 50 : 0}%`;
    bar.style.width = `${Math.abs(inside) * (isSigned ? 50 : 100)}%`;
    return make("span", { class: "meter" }, make("span", {}, name),
      make("span", { class: isSigned ? "track signed" : "track", "aria-hidden": "true" }, bar),
      make("span", { class: "number" }, isSigned ? signed(value) : value.toFixed(2)));
  };

  const felt = (affect) => (affect.label ? make("span", { class: "badge strong" }, affect.label)
    : make("span", {}, Object.keys(affect).length ? "" : "no feeling read"));

  const link = (memory) => make("button", { type: "button", class: "open", click: () => detail(memory) }, make("span", {}, memory.text));

  const facts = (memory) => {
    const { metadata, affect } = memory;
    const isUnit = view.kind === "memory";
    return make("div", { class: "facts" }, felt(affect), meter("valence", affect.valence, true), meter("arousal", affect.arousal, false),
      isUnit && metadata.kind !== "fact" ? make("span", { class: "badge" }, metadata.kind) : null,
      memory.status === "current" ? null : make("span", { class: "badge" }, memory.status),
      metadata.in_conflict ? make("span", { class: "badge" }, "in conflict") : null,
      isUnit && metadata.speaker !== view.user ? make("span", {}, `said by ${metadata.speaker}`) : null,
      metadata.times > 1 ? make("span", {}, `said ${metadata.times} times`) : null,
      known(memory.at) ? moment(memory.at) : null);
  };

  const card = (memory, tag = "li") => make(tag, { class: memory.status === "current" ? "card" : "card past" }, link(memory), facts(memory));

  // ---- search

  const ranked = (found, rank, notes, isNew) => {
    const memory = held.get(found.id) || { text: found.text, metadata: found.metadata, affect: {}, status: "current", id: found.id };
    return make("li", { class: isNew ? "card new" : "card" }, make("div", { class: "ranked" },
      make("span", { class: "rank" }, String(rank)), make("div", {}, link(memory), facts(memory), notes)));
  };

  const moved = (found) => {
    const before = found.rank_without_affect;
    if (!known(before)) { return "no rank without feeling"; }
    return before === found.rank ? "same rank without feeling" : `rank ${before} without feeling`;
  };

  const showAnswer = (answer) => {
    if (!answer.plain.length && !answer.affect_modulated.length) {
      fill(at("answer"), make("p", { class: "empty" }, "There is nothing to recall."));
      return;
    }
    const ids = new Set(answer.plain.map((one) => one.id));
    const kept = new Set(answer.affect_modulated.map((one) => one.id));
    const plain = answer.plain.map((one, place) => ranked(one, place + 1,
      kept.has(one.id) ? null : make("p", { class: "reason" }, "left out with feeling"), !kept.has(one.id)));
    const weighed = answer.affect_modulated.map((one) => ranked(one, one.rank, [
      answer.why_plain ? null : make("p", { class: "reason" }, ids.has(one.id) ? null : make("span", { class: "badge strong" }, "new"),
        ` ${moved(one)} · ${one.reason.replace(/(up|down) (\d+)$/, "$1\u00a0$2")}`)], !ids.has(one.id)));
    const same = answer.why_plain ? `Both sides are the plain call: ${answer.why_plain}.` : "Feeling was weighed, and changed nothing here.";
    fill(at("answer"),
      make("div", { class: "how" }, make("span", {}, make("b", {}, "Present feeling "), felt(answer.present),
        answer.given ? " as given" : Object.keys(answer.present).length ? " read from the query" : ""),
      meter("valence", answer.present.valence, true),
      make("span", {}, make("b", {}, "Policy "), answer.policy), make("span", {}, make("b", {}, "Strategy "), answer.strategy),
      meter("gate", answer.gate, false)),
      answer.same ? make("p", { class: "empty" }, same) : null,
      make("div", { class: "columns" },
        make("div", {}, make("h3", {}, "Without feeling: by meaning alone"), make("ol", { class: "cards", id: "plain" }, plain)),
        make("div", {}, make("h3", {}, "With feeling"), make("ol", { class: "cards", id: "felt" }, weighed))),
      answer.context ? make("details", {}, make("summary", {}, "What a chat model would be told"), make("pre", {}, answer.context)) : null);
  };

  const ask = async (event) => {
    event.preventDefault();
    const button = at("ask").querySelector("button");
    button.disabled = true;
    try {
      showAnswer(await call("search", { query: at("query").value, feeling: at("feeling").value || null, policy: at("policy").value,
        k: Number(at("k").value) }));
      say("");
    } catch (error) { say(error.message); }
    button.disabled = false;
  };

  // ---- filters

  const options = (select, values, first) => {
    const before = select.value;
    fill(select, first ? make("option", { value: "" }, first) : null, [...new Set(values)].filter(known).sort()
      .map((value) => make("option", { value }, words(value))));
    if ([...select.options].some((one) => one.value === before)) { select.value = before; }
    return select.options.length;
  };

  const filter = () => {
    const wanted = at("by-words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [kind, status, label, speaker] = ["kind", "status", "label", "speaker"].map((name) => at(`by-${name}`).value);
    const [least, most, arousal] = ["least", "most", "arousal"].map((name) => Number(at(`by-${name}`).value));
    const onlyConflict = at("by-conflict").checked;
    passing = view.memories.filter((one) => {
      const { affect, metadata } = one;
      const text = one.text.toLowerCase();
      return wanted.every((word) => text.includes(word)) && (kind ? metadata.kind === kind : !one.echo)
        && (!status || one.status === status) && (!label || affect.label === label) && (!speaker || metadata.speaker === speaker)
        && (least <= -1 || affect.valence >= least) && (most >= 1 || affect.valence <= most)
        && (arousal <= 0 || affect.arousal >= arousal) && (!onlyConflict || metadata.in_conflict);
    });
    const all = view.memories.filter((one) => !one.echo).length;
    at("count").textContent = kind ? plural(passing.length, "memory").replace("memorys", "memories") : `${passing.length} of ${all}`;
    shown = STEP;
    drawList();
    if (!at("timeline").hidden) { drawTimeline(); }
  };

  const ORDERS = {
    new: (one) => -(one.at ?? -Infinity), old: (one) => one.at ?? Infinity, low: (one) => one.affect.valence ?? 2,
    high: (one) => -(one.affect.valence ?? -2), salience: (one) => -(one.salience ?? -1),
  };
  const sorted = (memories, key) => [...memories].sort((one, other) => (key(one) < key(other) ? -1 : Number(key(one) > key(other))));

  const drawList = () => {
    const ordered = sorted(passing, ORDERS[at("order").value]);
    fill(at("list"), ordered.slice(0, shown).map((one) => card(one)),
      ordered.length ? null : make("li", { class: "empty" }, "No memory passes these filters."));
    at("more").hidden = shown >= ordered.length;
  };

  // ---- timeline

  const svg = (tag, attributes, ...inside) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") { one.addEventListener(name, value); } else { one.setAttribute(name, String(value)); }
    }
    one.append(...inside);
    return one;
  };

  const point = (one, x, y) => {
    const way = one.affect.valence < 0 ? 1 : -1;
    const corners = `M${x - 5} ${y - 4 * way}L${x + 5} ${y - 4 * way}L${x} ${y + 5 * way}Z`;
    return svg("path", { d: corners, class: one.status === "current" ? "point" : "point past", click: () => detail(one) },
      svg("title", {}, `${date(one.at)}: ${one.text.slice(0, 200)}`));
  };

  const drawTimeline = () => {
    const dated = sorted(passing.filter((one) => known(one.at)), ORDERS.old);
    const drawn = dated.filter((one) => known(one.affect.valence));
    const width = Math.max(320, at("chart").clientWidth || 900);
    const [left, right, top, bottom] = [width < 500 ? 34 : 108, width - 14, 12, 208];
    const first = dated.length ? dated[0].at : 0;
    const span = Math.max(dated.length ? dated[dated.length - 1].at - first : 0, HOUR);
    const x = (seconds) => left + 8 + (seconds - first) / span * (right - left - 16);
    const y = (valence) => (top + bottom) / 2 - valence * (bottom - top) / 2;
    const level = (value, name) => [svg("line", { class: value ? "axis" : "zero", x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, width < 500 ? name.split(" ").pop() : name)];
    const ticks = dated.length ? [[first, "start"], ...(width < 500 ? [] : [[first + span / 2, "middle"]]), [first + span, "end"]] : [];
    fill(at("chart"), svg("svg", { viewBox: `0 0 ${width} 236`, role: "img", "aria-label": `Valence of ${drawn.length} memories over time` },
      ...level(1, "pleasant +1"), ...level(0, "0"), ...level(-1, "unpleasant −1"),
      ...ticks.map(([seconds, anchor]) => svg("text", { x: x(seconds), y: 230, "text-anchor": anchor }, date(seconds))),
      ...drawn.map((one) => point(one, x(one.at), y(one.affect.valence)))));
    const days = new Map();
    for (const one of dated.slice(0, shown)) { days.set(date(one.at), [...(days.get(date(one.at)) || []), one]); }
    const undated = passing.length - dated.length;
    fill(at("days"), [...days].flatMap(([day, those]) => [make("h3", {}, day), make("ol", { class: "cards" }, those.map((one) => card(one)))]),
      undated ? make("p", { class: "empty" }, `${plural(undated, "document")} without a time (${view.time_keys.join(", ")}), not shown here.`) : null,
      passing.length ? null : make("p", { class: "empty" }, "No memory passes these filters."));
    at("more-days").hidden = shown >= dated.length;
  };

  // ---- conflicts and operations

  const drawConflicts = () => {
    const chosen = view.conflicts.filter((one) => at("settled").checked || !one.settlement);
    const side = (name, id) => [make("p", { class: "side" }, name), held.has(id) ? card(held.get(id), "div") : make("p", {}, "not held any more")];
    fill(at("opposed"), chosen.map((one) => make("article", { class: "card conflict" },
      make("h3", {}, words(one.kind), make("span", { class: one.settlement ? "badge" : "badge strong" },
        one.settlement ? `settled: ${words(one.settlement)}` : "open")),
      make("div", { class: "facts" }, meter("intensity", one.intensity, false), make("span", {}, one.reason),
        new Set(one.parties).size > 1 ? make("span", {}, `between ${one.parties.join(" and ")}`) : null, one.at ? moment(one.at) : null),
      make("div", { class: "columns" }, make("div", {}, side("Earlier", one.earlier)), make("div", {}, side("Later", one.later))))),
    chosen.length ? null : make("p", { class: "empty" }, view.kind === "memory" ? "No conflict to show." : "Plain documents hold no conflicts; "
      + "a ConflictAwareMemory notices them when something is saved."));
  };

  const value = (name, what) => {
    if (typeof what !== "number") { return what === null ? "none" : held.has(what) ? `“${held.get(what).text.slice(0, 60)}”` : String(what).slice(0, 60); }
    return /(_at|_until)$/.test(name) ? date(what) : String(Math.round(what * 1000) / 1000);
  };
  // What is as it is made is not worth a word.
  const isNews = (name, what) => what !== 0 && !(typeof what === "number" && what >= NEVER) && !(name === "times" && what === 1);
  const change = (id, changes) => make("li", {}, held.has(id) ? link(held.get(id)) : make("span", {}, `${id.slice(0, 8)}…, not held any more`),
    make("span", { class: "facts" }, Object.entries(changes).filter(([name, what]) => isNews(name, what))
      .map(([name, what]) => make("span", {}, `${words(name)}: ${value(name, what)}`))));

  const rows = (operations) => make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ["When (UTC)", "What", "Memories"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, operations.map((one) => make("tr", {}, make("td", {}, moment(one.at)),
      make("td", {}, one.kind, one.state === "done" ? null : make("span", { class: "badge" }, one.state)),
      make("td", {}, one.count ? plural(one.count, "unit") : make("ul", {}, Object.entries(one.changes)
        .filter(([id]) => !held.get(id)?.echo || !(held.get(id).metadata.interaction_id in one.changes)).map(([id, what]) => change(id, what)))))))));

  const drawLog = () => {
    const kind = at("by-operation").value;
    const chosen = view.operations.filter((one) => !kind || one.kind === kind).reverse();
    fill(at("log"), chosen.length ? rows(chosen.slice(0, shown)) : make("p", { class: "empty" }, view.log_note || "No operation to show."));
    at("more-log").hidden = shown >= chosen.length;
  };

  // ---- one memory

  const close = (dialog) => make("button", { type: "button", click: () => dialog.close() }, "Close");

  const told = (name, what) => {
    if (typeof what === "number" && /(_at|_until)$/.test(name)) { return what && what < NEVER ? moment(what) : "never"; }
    return held.has(what) ? link(held.get(what)) : String(what);
  };
  const listed = (pairs) => make("dl", {}, pairs.flatMap(([name, ...what]) => [make("dt", {}, words(name)), make("dd", {}, ...what)]));
  const main = (memory) => {
    const { affect, metadata } = memory;
    const replaced = metadata.superseded_by;
    return [["feeling", affect.label || "not read", affect.source ? `, read by ${affect.source}` : ""], ["status", memory.status],
      ...(known(memory.at) ? [["said", moment(memory.at), metadata.speaker ? ` by ${metadata.speaker}` : ""]] : []),
      ...(metadata.experiencer && metadata.experiencer !== metadata.speaker ? [["felt by", metadata.experiencer]] : []),
      ...(metadata.times > 1 ? [["times", `${metadata.times}, the last`, " ", moment(metadata.last_at)]] : []),
      ...(replaced ? [["superseded by", told("", replaced)]] : []),
      ...(metadata.sources ? [["made from", String(metadata.sources).split(",").map((id) => told("", id))]] : [])];
  };

  const detail = (memory) => {
    const { affect } = memory;
    const done = view.operations.filter((one) => memory.id in one.changes);
    const against = view.conflicts.filter((one) => one.earlier === memory.id || one.later === memory.id);
    const dialog = at("detail");
    fill(dialog, make("h2", { id: "detail-title" }, view.kind === "memory" ? "Memory" : "Document"), make("p", { class: "told" }, memory.text),
      make("div", { class: "meters" }, meter("valence", affect.valence, true), meter("arousal", affect.arousal, false),
        meter("dominance", affect.dominance, true), meter("conflict", affect.conflict, false), meter("salience", memory.salience, false),
        meter("confidence", affect.confidence, false), Object.entries(affect.emotions || {}).filter(([, strength]) => strength >= 0.01)
          .map(([name, strength]) => meter(name, strength, false))),
      listed(main(memory)),
      against.length ? make("h3", {}, "Conflicts") : null,
      against.map((one) => make("div", {}, make("p", { class: "side" }, `${words(one.kind)}, ${one.settlement ? words(one.settlement) : "open"}: ${one.reason}`),
        [one.earlier, one.later].filter((id) => id !== memory.id && held.has(id)).map((id) => link(held.get(id))))),
      done.length ? [make("h3", {}, "Operations"), make("ul", { class: "done" }, done.map((one) => make("li", {}, moment(one.at), ` ${one.kind}`,
        one.state === "done" ? "" : ` (${one.state})`)))] : null,
      make("details", {}, make("summary", {}, "Everything stored with it"),
        listed(Object.entries(memory.metadata).map(([name, what]) => [name, what === memory.id ? what : told(name, what)]))),
      make("div", { class: "buttons" }, view.forget.some ? make("button", { type: "button", class: "danger",
        click: () => { dialog.close(); doom([memory.id]); } }, "Forget…") : make("span"), close(dialog)));
    if (!dialog.open) { dialog.showModal(); }
    dialog.scrollTop = 0;
  };

  // ---- forgetting and export

  const recipe = (ids) => (ids ? view.forget.some.replace("IDS", JSON.stringify(ids)) : view.forget.all);

  const forgotten = async (ids) => {
    try {
      const done = await call("forget", { ids });
      await load();
      say([`Forgotten: ${plural(done.units, "unit")}, ${plural(done.operations, "operation")} of the log changed. A scan afterwards found none left.`,
        view.forget.kept].filter(Boolean).join(" "));
    } catch (error) { say(`Nothing is known to be forgotten: ${error.message}`); }
    at("answer").replaceChildren();
  };

  const doom = (ids) => {
    const dialog = at("confirm");
    const typed = make("input", { type: "text", id: "typed", autocomplete: "off" });
    const go = make("button", { type: "button", class: "danger", click: () => { dialog.close(); forgotten(ids); } }, "Forget for good");
    go.disabled = !ids;
    typed.addEventListener("input", () => { go.disabled = typed.value !== view.user; });
    fill(dialog, make("h2", { id: "confirm-title" }, ids ? "Forget this?" : "Forget everything?"),
      ids ? make("p", { class: "told" }, held.get(ids[0])?.text || "") : null, make("p", {}, ids ? view.forget.what : view.forget.whole),
      view.forget.live ? [view.forget.warning ? make("p", { class: "warning" }, view.forget.warning) : null,
        ids ? null : make("label", {}, `Type ${view.user} to go on`, typed),
        make("div", { class: "buttons" }, make("button", { type: "button", click: () => dialog.close() }, "Keep"), go)]
        : [make("p", {}, view.forget.how), recipe(ids) ? make("pre", {}, recipe(ids)) : "", make("div", { class: "buttons" }, make("span"), close(dialog))]);
    dialog.showModal();
  };

  const exported = () => {
    const units = view.memories.map((one) => ({ ...(view.kind === "memory" ? {} : { id: one.id }), text: one.text, ...one.metadata }));
    const data = view.kind === "memory" ? { user_id: view.user, units, operations: view.operations } : { source: view.source, documents: units };
    const address = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
    make("a", { href: address, download: "emomem-export.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };

  // ---- the whole

  const draw = () => {
    const count = view.memories.filter((one) => !one.echo).length;
    document.title = `${view.user || view.source} · emomem inspect`;
    at("source").textContent = [view.user ? `${view.user} in ${view.source}` : view.source, count === 1 ? "1 memory" : `${count.toLocaleString("en")} memories`]
      .join(" · ");
    at("notice").textContent = view.live ? `Live, on this machine alone, until the command ends. ${view.note}`
      : `A copy of ${view.made}. It holds memories in clear: keep it as you keep them, and delete it when you are done. ${view.note}`;
    for (const [name, tally] of [["memories", count], ["conflicts", view.conflicts.length], ["operations", view.operations.length]]) {
      fill(at(`tab-${name}`), words(name[0].toUpperCase() + name.slice(1)), make("span", { class: "tally" }, tally.toLocaleString("en")));
    }
    for (const [name, read] of [["kind", (one) => one.metadata.kind], ["status", (one) => one.status], ["label", (one) => one.affect.label],
      ["speaker", (one) => one.metadata.speaker]]) {
      const select = at(`by-${name}`);
      const isOf = view.kind === "memory" || name === "label";
      select.parentElement.hidden = options(select, isOf ? view.memories.map(read) : [], name === "kind" ? "all, each once" : "all") < 3;
    }
    at("by-conflict").parentElement.hidden = !view.conflicts.length;
    options(at("by-operation"), view.operations.map((one) => one.kind), "all");
    at("ask").hidden = !view.live;
    at("asked").hidden = !view.answers.length;
    at("copy").hidden = Boolean(view.live || view.answers.length);
    fill(at("answers"), view.answers.map((one, place) => make("option", { value: place }, one.query)));
    if (view.answers.length) { showAnswer(view.answers[0]); }
    fill(at("forget-all"), make("p", {}, view.forget.what), view.forget.some ? make("p", {}, "To forget one, open it under Memories.") : null,
      view.forget.all ? make("button", { type: "button", class: "danger", click: () => doom(null) }, `Forget everything of ${view.user}…`) : null);
    filter();
    drawConflicts();
    drawLog();
  };

  const open = (tab, focus) => {
    for (const one of tabs) {
      const chosen = one === tab;
      one.setAttribute("aria-selected", String(chosen));
      one.tabIndex = chosen ? 0 : -1;
      at(one.getAttribute("aria-controls")).hidden = !chosen;
    }
    const name = tab.getAttribute("aria-controls");
    at("filters").hidden = !["memories", "timeline"].includes(name);
    shown = STEP;
    if (name === "memories") { drawList(); }
    if (name === "timeline") { drawTimeline(); }
    if (name === "operations") { drawLog(); }
    if (focus) { tab.focus(); }
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  const call = async (path, body) => {
    let response;
    try {
      response = await fetch(`/api/${path}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(body || {}) });
    } catch { throw new Error("the server does not answer; is `emomem inspect --serve` still running?"); }
    const answer = await response.json();
    if (!response.ok) { throw new Error(answer.error); }
    return answer;
  };

  const take = (given) => {
    view = given;
    held = new Map(view.memories.map((one) => [one.id, one]));
    draw();
  };
  const load = async () => take(await call("view"));

  const start = async () => {
    tabs.forEach((tab) => tab.addEventListener("click", () => open(tab)));
    at("tabs").addEventListener("keydown", (event) => {
      const turn = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.indexOf(document.activeElement), End: -1 - tabs.indexOf(document.activeElement) }[event.key];
      if (turn === undefined) { return; }
      event.preventDefault();
      open(tabs[(tabs.indexOf(document.activeElement) + turn + tabs.length) % tabs.length], true);
    });
    at("ask").addEventListener("submit", ask);
    at("answers").addEventListener("change", () => showAnswer(view.answers[Number(at("answers").value)]));
    at("filters").addEventListener("input", filter);
    at("filters").addEventListener("submit", (event) => event.preventDefault());
    at("filters").addEventListener("reset", () => setTimeout(filter));
    at("order").addEventListener("change", drawList);
    at("settled").addEventListener("change", drawConflicts);
    at("by-operation").addEventListener("change", () => { shown = STEP; drawLog(); });
    for (const [id, again] of [["more", drawList], ["more-days", drawTimeline], ["more-log", drawLog]]) {
      at(id).addEventListener("click", () => { shown += STEP; again(); });
    }
    at("export").addEventListener("click", exported);
    window.addEventListener("resize", () => { if (!at("timeline").hidden) { drawTimeline(); } });
    const given = JSON.parse(at("data").textContent);
    if (given) { take(given); open(tabs[given.answers.length ? 0 : 1]); return; }
    // The token goes out of the address, so that no history keeps it, and a reload finds it.
    token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
    sessionStorage.setItem("token", token);
    history.replaceState(null, "", "/");
    try {
      await load();
      fill(at("feeling"), make("option", { value: "" }, "read from the query"), view.live.feelings.map((value) => make("option", { value }, value)));
      fill(at("policy"), view.live.policies.map((value) => make("option", { value }, value)));
      open(tabs[0]);
      at("query").focus();
    } catch (error) { at("source").textContent = ""; say(error.message); }
  };
  start();
})();
