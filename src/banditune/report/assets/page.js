"use strict";
// Draws the charts from the numbers in #data, lets the curve be read off and zoomed into, sorts the table, shows one
// library at a time, copies code. Asks for nothing else.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  let scale = data.curve.scale;

  // ---- numbers and colours -------------------------------------------------------------------------------------

  // As numeral() in numerals.py writes them.
  function numeral(value, digits = 4) {
    const size = Math.abs(value);
    let text = "0";
    if (size >= 1000 && size < 1e12) {
      text = size.toLocaleString("en-GB", { maximumFractionDigits: Math.max(digits - 1 - Math.floor(Math.log10(size)), 0) });
    } else if (size > 0) {
      text = Number(size.toPrecision(digits)).toString();
      if (size < 1e-4 || size >= 1e12) {
        const [mantissa, exponent] = Number(size.toPrecision(digits)).toExponential().split("e");
        const raised = [...String(Number(exponent))].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("");
        text = `${mantissa}\u00a0×\u00a010${raised}`;
      }
    }
    return value < 0 && text !== "0" ? `−${text}` : text;
  }

  // Plotly reads some HTML in texts: names from data must not be read so.
  const plainText = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function colours() {
    const style = getComputedStyle(root);
    const names = ["paper", "ink", "soft", "rule", "curve", "best", "range", "default"];
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }

  // ---- figures -------------------------------------------------------------------------------------------------

  const narrow = () => root.clientWidth < 640;
  const touch = () => matchMedia("(pointer: coarse)").matches;

  function axis(title, more) {
    const c = colours();
    return {
      title: { text: title, standoff: 10, font: { size: 13 } }, automargin: true, fixedrange: true, zeroline: false,
      gridcolor: c.rule, linecolor: c.soft, tickcolor: c.soft, exponentformat: "power", ...more,
    };
  }

  function layout(xaxis, yaxis, more) {
    const c = colours();
    return {
      xaxis, yaxis, showlegend: false, dragmode: false, hovermode: "closest",
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 8, r: 14, t: 12, b: 8 },
      font: { family: "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif", size: 12, color: c.soft },
      hoverlabel: { bgcolor: c.paper, bordercolor: c.rule, font: { color: c.ink, size: 13 } },
      ...more,
    };
  }

  // The row above the chart in which each label meets no other; labels begin or end at their marks.
  function labelRows(labels) {
    const width = byId("curve").clientWidth - 80;
    const taken = [];
    return labels.map(({ share, text }) => {
      const begin = share * width - (share > 0.5 ? 8 * text.length : 0);
      const end = begin + 8 * text.length;
      const free = (row) => taken.every((other) => other.row !== row || end < other.begin || begin > other.end);
      let row = 0;
      while (!free(row)) row += 1;
      taken.push({ row, begin, end });
      return row;
    });
  }

  function curveFigure() {
    const c = colours();
    const { learned, defaults, within_one_se } = data.curve;
    const line = data.curve[scale];
    const start = line.x[0], end = line.x[line.x.length - 1];
    const log = scale === "log";
    const onAxis = (x) => (log ? Math.log10(Math.max(x, start)) : x);
    const share = (x) => (onAxis(x) - onAxis(start)) / (onAxis(end) - onAxis(start));
    const marks = [
      { at: learned, text: `learned: ${numeral(learned[1])}`, colour: c.best },
      ...defaults.map((at) => ({ at, text: `${data.parameter} = ${numeral(at[0])}: ${numeral(at[1])}`, colour: c.default })),
    ];
    const rows = labelRows(marks.map(({ at, text }) => ({ share: share(at[0]), text })));
    const annotations = marks.map(({ at, text, colour }, k) => ({
      x: onAxis(at[0]), y: 1, yref: "paper", yanchor: "bottom", yshift: 4 + 18 * rows[k], text,
      xanchor: share(at[0]) > 0.5 ? "right" : "left", xshift: share(at[0]) > 0.5 ? 3 : -3,
      showarrow: false, font: { color: colour, size: 13 },
    }));
    const shapes = marks.map(({ at, colour }, row) => ({
      type: "line", xref: "x", x0: Math.max(at[0], log ? start : at[0]), x1: Math.max(at[0], log ? start : at[0]),
      yref: "paper", y0: 0, y1: 1, line: { color: colour, width: 1, dash: row ? "dot" : "dash" },
    }));
    shapes.push({
      type: "rect", layer: "below", xref: "x", x0: Math.max(within_one_se[0], start), x1: Math.max(within_one_se[1], start),
      yref: "paper", y0: 0, y1: 1, fillcolor: c.range, line: { color: c.range, width: 1 },
    });
    const dots = {
      type: "scatter", mode: "markers", hoverinfo: "skip", cliponaxis: false,
      x: marks.map(({ at }) => Math.max(at[0], log ? start : at[0])), y: marks.map(({ at }) => at[1]),
      marker: {
        size: 10, color: marks.map(({ colour }) => colour), symbol: marks.map((_, row) => (row ? "diamond" : "circle")),
        line: { color: c.paper, width: 1.5 },
      },
    };
    const steps = { type: "scatter", mode: "lines", hoverinfo: "skip", x: line.x, y: line.y, line: { shape: "hv", color: c.curve, width: 2 } };
    const across = axis(`${data.parameter} (${scale} scale)`, {
      type: scale, range: [onAxis(start), onAxis(end)], showgrid: false, ticks: "outside", showline: true, fixedrange: false,
    });
    if (log) across.dtick = Math.max(1, Math.ceil((onAxis(end) - onAxis(start)) / (narrow() ? 5 : 10)));
    const up = axis(data.measure, { rangemode: data.lost ? "tozero" : "normal" });
    return {
      data: [steps, dots],
      layout: layout(across, up, {
        annotations, shapes, dragmode: touch() ? false : "zoom", hovermode: false,
        margin: { l: 8, r: 14, t: 30 + 18 * Math.max(...rows), b: 8 },
      }),
    };
  }

  function matchedFigure() {
    const c = colours();
    const line = data.matched[scale];
    const log = scale === "log";
    const ends = [line.x[0], line.x[line.x.length - 1]].map((x) => (log ? Math.log10(x) : x));
    const steps = {
      type: "scatter", mode: "lines", x: line.x, y: line.y, line: { shape: "hv", color: c.curve, width: 2 },
      hovertemplate: `${data.parameter} = %{x:.4g}: %{y:,d} events<extra></extra>`,
    };
    const across = axis(`${data.parameter} (${scale} scale)`, { type: scale, range: ends, showgrid: false, ticks: "outside", showline: true, fixedrange: false });
    if (log) across.dtick = Math.max(1, Math.ceil((ends[1] - ends[0]) / (narrow() ? 5 : 10)));
    const up = axis("matched events", { rangemode: "tozero", nticks: 5, tickformat: ",d" });
    return { data: [steps], layout: layout(across, up, { dragmode: touch() ? false : "zoom" }) };
  }

  function priorsFigure() {
    const c = colours();
    const { names, means, observed } = data.priors;
    const rows = names.map((_, k) => k);
    const dots = {
      type: "scatter", mode: "markers", y: rows, x: means.map(([mean]) => mean), error_x: errors(means, c.best),
      marker: { color: c.best, size: 9 },
      hovertemplate: means.map(([mean, low, high], k) => `${plainText(names[k])}: ${numeral(mean)}, within one standard error ${numeral(low)} to ${numeral(high)}<extra></extra>`),
    };
    const seen = {
      type: "scatter", mode: "markers", y: rows, x: observed, marker: { color: c.default, size: 8, symbol: "diamond" },
      hovertemplate: observed.map((mean, k) => `${plainText(names[k])}: observed ${numeral(mean)}<extra></extra>`),
    };
    const up = axis("", { tickvals: rows, ticktext: names.map(plainText), range: [names.length - 0.4, -0.6], ticklabelstandoff: 6 });
    return { data: [dots, seen], layout: layout(axis("prior mean (dot), observed mean (diamond)"), up, { height: Math.max(220, 26 * names.length + 70) }) };
  }

  const errors = (estimates, colour) => ({
    type: "data", symmetric: false, color: colour, thickness: 1.5, width: 5,
    array: estimates.map(([mean, , high]) => high - mean), arrayminus: estimates.map(([mean, low]) => mean - low),
  });
  const describe = (name, [mean, low, high]) => `${name}: ${numeral(mean)}, 95% interval ${numeral(low)} to ${numeral(high)}<extra></extra>`;

  function meansFigure() {
    const c = colours();
    const { names, means } = data.comparison;
    const bars = {
      type: "bar", orientation: "h", y: names, x: means.map(([mean]) => mean), width: 0.55, error_x: errors(means, c.ink),
      marker: { color: names.map((_, k) => (k ? c.default : c.best)), opacity: 0.85 },
      hovertemplate: means.map((estimate, k) => describe(names[k], estimate)),
    };
    return { data: [bars], layout: layout(axis(data.measure.length > 36 ? data.measure : `${data.measure}, held-out tasks`, { nticks: 6 }), axis("", { autorange: "reversed", ticklabelstandoff: 6 })) };
  }

  function extraFigure() {
    const c = colours();
    const { names, extra, extraTitle } = data.comparison;
    const dots = {
      type: "scatter", mode: "markers", y: names.slice(1), x: extra.map(([mean]) => mean), error_x: errors(extra, c.default),
      marker: { color: c.default, size: 10, symbol: "diamond" },
      hovertemplate: extra.map((estimate, k) => describe(names[k + 1], estimate)),
    };
    const across = axis(extraTitle, { nticks: 6, zeroline: true, zerolinecolor: c.best, zerolinewidth: 2, rangemode: "tozero" });
    const up = axis("", { range: [extra.length - 0.4, -0.6], ticklabelstandoff: 6 });
    return { data: [dots], layout: layout(across, up) };
  }

  function learningFigure() {
    const c = colours();
    const { sizes, losses } = data.learning;
    const [mean, low, high] = [0, 1, 2].map((part) => losses.map((estimate) => estimate[part]));
    const edge = { type: "scatter", mode: "lines", x: sizes, hoverinfo: "skip", line: { width: 0 } };
    const average = {
      type: "scatter", mode: "lines+markers", x: sizes, y: mean, line: { color: c.curve, width: 2 }, marker: { size: 7 },
      hovertemplate: losses.map((estimate, k) => describe(`${numeral(sizes[k])} tasks`, estimate)),
    };
    const every = narrow() ? 2 : 1;
    const ticks = sizes.filter((_, k) => (sizes.length - 1 - k) % every === 0);
    const across = axis("number of training tasks (log scale)", {
      type: "log", tickvals: ticks, ticktext: ticks.map((size) => numeral(size)), showgrid: false, ticks: "outside", showline: true,
    });
    const up = axis(`${data.measure}, held-out tasks`, { rangemode: data.lost ? "tozero" : "normal" });
    return { data: [{ ...edge, y: low }, { ...edge, y: high, fill: "tonexty", fillcolor: `${c.curve}33` }, average], layout: layout(across, up) };
  }

  function piecesFigure() {
    const c = colours();
    const { low, high, count } = data.pieces;
    const label = (k) => (low[k] === high[k] ? numeral(low[k]) : `${numeral(low[k])} to ${numeral(high[k])}`);
    const bars = {
      type: "bar", x: low.map((value, k) => (value + high[k]) / 2), y: count, width: low.map((value, k) => high[k] - value + 0.9),
      marker: { color: c.curve, opacity: 0.85 }, hovertemplate: count.map((n, k) => `${label(k)} pieces: ${numeral(n)} tasks<extra></extra>`),
    };
    const whole = (reach) => ({ tickformat: ",d", ...(reach < 8 ? { dtick: 1 } : { nticks: narrow() ? 5 : 9 }) });
    const first = low[0], last = high[high.length - 1];
    const margin = last === first ? 3 : 0.6;
    const across = axis("pieces of a task", { ...whole(last - first), showgrid: false, showline: true, range: [first - margin, last + margin] });
    return { data: [bars], layout: layout(across, axis("number of tasks", whole(Math.max(...count)))) };
  }

  // ---- drawing -------------------------------------------------------------------------------------------------

  const figures = { curve: curveFigure, matched: matchedFigure, priors: priorsFigure, means: meansFigure, extra: extraFigure, learning: learningFigure, pieces: piecesFigure };
  const zoomed = {}; // the button of each chart that can be zoomed into
  const config = { responsive: true, displayModeBar: false, showTips: false, doubleClick: "reset" };

  function draw(id, width) {
    const place = byId(id);
    if (!place || place.closest("details:not([open])")) return; // it is drawn once it is seen
    const figure = figures[id]();
    const tall = figure.layout.height;
    if (tall) place.style.height = `${tall}px`;
    if (width) Object.assign(figure.layout, place.closest(".pair") ? { width: width / 2 - 12, height: 200 } : { width, height: tall ?? 260 });
    else figure.layout.autosize = true;
    Plotly.react(place, figure.data, figure.layout, config);
    if (zoomed[id]) zoomed[id].hidden = true;
  }

  const drawAll = (width) => Object.keys(figures).forEach((id) => draw(id, width));

  function choose(chosen) {
    scale = chosen;
    for (const button of document.querySelectorAll("[data-scale]")) {
      button.setAttribute("aria-pressed", String(button.dataset.scale === scale));
    }
    draw("curve");
    draw("matched");
  }

  // ---- zooming -------------------------------------------------------------------------------------------------

  // Along the axis the user zooms; up, the chart then fits what is to be seen. A button leads back.
  function zoomable(id) {
    const place = byId(id);
    if (!place) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "reset", textContent: "Reset zoom", hidden: true });
    const scales = place.closest("figure").querySelector(".scales");
    if (scales) scales.prepend(button); else place.before(button);
    zoomed[id] = button;
    button.addEventListener("click", () => draw(id));
    place.on("plotly_relayout", (change) => {
      if (!Object.keys(change).some((key) => /^xaxis\.(range|autorange)/.test(key))) return; // our own changes
      const { x, y } = data[id][scale];
      const [from, to] = place._fullLayout.xaxis.range.map((end) => (scale === "log" ? 10 ** end : end));
      button.hidden = from <= x[0] * (1 + 1e-9) && to >= x[x.length - 1] * (1 - 1e-9);
      if (button.hidden) { Plotly.relayout(place, { "yaxis.autorange": true }); return; }
      const seen = y.filter((_, k) => x[k] <= to && (k + 1 === x.length || x[k + 1] >= from));
      const low = Math.min(...seen), high = Math.max(...seen), margin = 0.08 * (high - low || Math.abs(high) || 1);
      Plotly.relayout(place, { "yaxis.range": [low - margin, high + margin], "xaxis.dtick": null });
    });
  }

  // ---- code ----------------------------------------------------------------------------------------------------

  function copyable(code) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
    code.append(button);
    button.addEventListener("click", async () => {
      const text = code.querySelector("pre").textContent;
      try { await navigator.clipboard.writeText(text); } catch {
        const range = document.createRange();
        range.selectNodeContents(code.querySelector("pre"));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // One panel at a time, chosen by tabs that are named like their headings; without this, all stand below each other.
  function tabbed(group) {
    const panels = [...group.children];
    const list = document.createElement("div");
    list.setAttribute("role", "tablist");
    const tabs = panels.map((panel, k) => {
      const tab = Object.assign(document.createElement("button"), { type: "button", id: `tab-${k}`, textContent: panel.querySelector("h3").textContent });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      list.append(tab);
      return tab;
    });
    const show = (chosen) => tabs.forEach((tab, k) => {
      tab.setAttribute("aria-selected", String(k === chosen));
      tab.tabIndex = k === chosen ? 0 : -1;
      panels[k].hidden = k !== chosen;
    });
    tabs.forEach((tab, k) => {
      tab.addEventListener("click", () => show(k));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = (k + step + tabs.length) % tabs.length;
        show(next);
        tabs[next].focus();
      });
    });
    group.classList.add("tabbed");
    group.prepend(list);
    show(0);
  }

  // ---- reading the curve ---------------------------------------------------------------------------------------

  function readable(place) {
    const guide = place.appendChild(Object.assign(document.createElement("div"), { className: "guide", hidden: true }));
    const reading = place.appendChild(Object.assign(document.createElement("div"), { className: "reading", hidden: true }));
    const hide = () => { guide.hidden = reading.hidden = true; };
    place.addEventListener("pointerleave", hide);
    for (const kind of ["pointermove", "pointerdown"]) {
      place.addEventListener(kind, (event) => {
        const { xaxis, yaxis } = place._fullLayout;
        const box = place.getBoundingClientRect();
        const across = event.clientX - box.left - xaxis._offset;
        if (across < 0 || across > xaxis._length) return hide();
        const x = xaxis.p2d(across);
        const value = valueAt(x);
        if (value === undefined) return hide();
        guide.style.cssText = `left:${across + xaxis._offset}px;top:${yaxis._offset}px;height:${yaxis._length}px`;
        reading.textContent = `${data.parameter} = ${numeral(x)}: ${data.measure} ${numeral(value)}`;
        guide.hidden = reading.hidden = false;
        const left = across + xaxis._offset - reading.offsetWidth / 2;
        reading.style.left = `${Math.max(0, Math.min(left, box.width - reading.offsetWidth))}px`;
        reading.style.top = `${Math.max(yaxis._offset + 6, event.clientY - box.top - 48)}px`;
        return undefined;
      });
    }
  }

  // The drawn line's value at x; undefined outside of it.
  function valueAt(x) {
    const line = data.curve[scale];
    let low = 0, high = line.x.length - 1;
    if (x < line.x[0] || x > line.x[high]) return undefined;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (line.x[middle] <= x) low = middle; else high = middle;
    }
    return line.y[low];
  }

  // ---- sorting -------------------------------------------------------------------------------------------------

  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const names = new Intl.Collator("en", { numeric: true });
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      const cell = (row) => row.cells[column];
      const compare = column === 0
        ? (a, b) => names.compare(cell(a).textContent, cell(b).textContent)
        : (a, b) => Number(cell(a).dataset.value) - Number(cell(b).dataset.value);
      const rows = [...table.tBodies[0].rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      table.tBodies[0].append(...rows);
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    }));
  }

  // ---- begin ---------------------------------------------------------------------------------------------------

  drawAll();
  zoomable("curve");
  zoomable("matched");
  choose(scale);
  readable(byId("curve"));
  document.querySelectorAll(".code").forEach(copyable);
  document.querySelectorAll(".tabs").forEach(tabbed);
  const folds = [...document.querySelectorAll("details.fold")];
  folds.forEach((fold) => fold.addEventListener("toggle", () => fold.querySelectorAll(".chart").forEach((place) => draw(place.id))));
  document.querySelectorAll("[data-scale]").forEach((button) => button.addEventListener("click", () => choose(button.dataset.scale)));
  document.querySelectorAll("table.sortable").forEach(sortable);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());
  let opened = [];
  addEventListener("beforeprint", () => {
    root.classList.add("printing");
    opened = folds.filter((fold) => !fold.open);
    opened.forEach((fold) => { fold.open = true; });
    drawAll(660);
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printing");
    opened.forEach((fold) => { fold.open = false; });
    drawAll();
    document.querySelectorAll(".chart.js-plotly-plot").forEach((place) => Plotly.Plots.resize(place));
  });
})();
