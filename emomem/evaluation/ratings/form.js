
"use strict";
(() => {
  const { rater, study, columns } = document.body.dataset;
  const names = columns.split(",");
  const scales = names.slice(2);
  const sections = [...document.querySelectorAll("section")];
  const store = `emomem-ratings:${study}:${rater}`;
  const at = (id) => document.getElementById(id);
  let answers = {};
  let shown = 0;

  // A browser may refuse to keep anything, and the answers can be downloaded all the same.
  const keep = () => {
    try { localStorage.setItem(store, JSON.stringify({ answers, shown })); } catch { /* see above */ }
  };
  const whole = (item) => scales.every((scale) => answers[item] && answers[item][scale]);

  const count = () => {
    const done = sections.filter((one) => whole(one.dataset.item)).length;
    at("bar").value = done;
    at("count").textContent = String(done);
    at("unanswered").disabled = done === sections.length;
  };

  const show = (place, focus) => {
    shown = Math.max(0, Math.min(sections.length - 1, place));
    sections.forEach((one, number) => { one.hidden = number !== shown; });
    at("previous").disabled = shown === 0;
    at("following").disabled = shown === sections.length - 1;
    at("missing").textContent = "";
    keep();
    if (focus) {
      const head = sections[shown].querySelector("h2");
      head.focus();
      head.scrollIntoView();
    }
  };

  const next = () => {
    const order = [...sections.keys()].map((n) => (shown + 1 + n) % sections.length);
    const found = order.find((n) => !whole(sections[n].dataset.item));
    if (found !== undefined) { show(found, true); }
  };

  const rate = (input) => {
    const item = input.closest("section").dataset.item;
    answers[item] = { ...answers[item], [input.dataset.scale]: Number(input.value) };
    at("missing").textContent = "";
    keep();
    count();
  };

  const download = () => {
    const rows = sections.map((one) => one.dataset.item).map((item) =>
      [rater, item, ...scales.map((scale) => (answers[item] && answers[item][scale]) || "")]);
    const missing = rows.flat().filter((cell) => cell === "").length;
    at("missing").textContent = missing ? `${at("missing").dataset.text} ${missing}` : "";
    const text = [names, ...rows].map((row) => row.join(",")).join("\r\n") + "\r\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${rater}-answers.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  const press = (event) => {
    if (event.ctrlKey || event.metaKey) { return; }
    if (event.altKey) {
      const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (turn) { event.preventDefault(); show(shown + turn, true); }
      return;
    }
    if (!/^[1-5]$/.test(event.key)) { return; }
    const sets = [...sections[shown].querySelectorAll("fieldset")];
    const held = sets.indexOf(document.activeElement.closest("fieldset"));
    // Where no scale has the focus, the first that is not rated is meant.
    const free = sets.findIndex((one) => !one.querySelector("input:checked"));
    const place = held < 0 ? free : held;
    if (place < 0) { return; }
    event.preventDefault();
    const input = sets[place].querySelector(`input[value="${event.key}"]`);
    input.checked = true;
    rate(input);
    const after = sets[place + 1];
    (after ? after.querySelector("input:checked") || after.querySelector("input") : input).focus();
  };

  const restore = () => {
    let kept = null;
    try { kept = JSON.parse(localStorage.getItem(store)); } catch { /* nothing is kept */ }
    for (const one of sections) {
      const found = kept && kept.answers && kept.answers[one.dataset.item];
      for (const scale of found ? scales : []) {
        const input = one.querySelector(`input[data-scale="${scale}"][value="${Number(found[scale])}"]`);
        if (input) { input.checked = true; rate(input); }
      }
    }
    show(kept ? Number(kept.shown) || 0 : 0, false);
    count();
  };

  document.addEventListener("change", (event) => {
    if (event.target.matches("input[type=radio]")) { rate(event.target); }
  });
  document.addEventListener("keydown", press);
  at("previous").addEventListener("click", () => show(shown - 1, true));
  at("following").addEventListener("click", () => show(shown + 1, true));
  at("unanswered").addEventListener("click", next);
  at("download").addEventListener("click", download);
  restore();
})();
