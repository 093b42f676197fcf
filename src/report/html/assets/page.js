"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const svgNamespace = "http://www.w3.org/2000/svg";

  function make(name, text, attributes) {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    for (const key of Object.keys(attributes || {})) element.setAttribute(key, attributes[key]);
    return element;
  }

  // A link to a key opens its history and everything around it.
  function reveal() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id ? document.getElementById(id) : null;
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.localName === "details") at.open = true;
    }
    target.scrollIntoView({ block: "center" });
    const summary = target.querySelector("summary");
    if (summary) summary.focus({ preventScroll: true });
  }
  addEventListener("hashchange", reveal);
  for (const link of document.querySelectorAll("a.key")) {
    link.addEventListener("click", () => setTimeout(reveal));
  }
  reveal();

  // What is folded is printed, but for the long lists of presets.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open]):not(.quiet)")];
    for (const details of folded) details.open = details.closest(".quiet") === null;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });

  // Blocks that can be copied.
  function copied(text, block) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    getSelection().selectAllChildren(block);
    return document.execCommand("copy") ? Promise.resolve() : Promise.reject(new Error("no clipboard"));
  }
  for (const block of document.querySelectorAll("pre.copy")) {
    const button = make("button", "Copy", { type: "button", class: "copyline" });
    button.addEventListener("click", () => {
      copied(block.textContent, block).then(
        () => { button.textContent = "Copied"; },
        () => { button.textContent = "Select and copy"; getSelection().selectAllChildren(block); });
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.before(button);
  }

  // A field that narrows the keys down.
  for (const section of document.querySelectorAll("section[id$=values]")) {
    const groups = [...section.querySelectorAll("details.group")];
    if (groups.length === 0) continue;
    const wasOpen = groups.map((group) => group.open);
    const field = make("input", "", { type: "search", placeholder: "find a key or a value", "aria-label": "find a key or a value" });
    field.addEventListener("input", () => {
      const word = field.value.trim().toLowerCase();
      groups.forEach((group, i) => { group.open = word ? true : wasOpen[i]; });
      for (const row of section.querySelectorAll("details.key, .keys li")) {
        const head = row.localName === "details" ? row.querySelector("summary") : row;
        row.hidden = word !== "" && !head.textContent.toLowerCase().includes(word);
      }
    });
    groups[0].before(field);
  }

  // The map of ranks: the groups of one rank, by arithmetic on the grids' axes.
  function cellPlace(map, cell) {
    const block = Math.floor(cell / map.block);
    const inside = cell % map.block;
    return [map.left + (block % map.columns) * map.step_x + (inside % map.row) * map.cell,
            1 + Math.floor(block / map.columns) * map.step_y + Math.floor(inside / map.row) * map.cell];
  }
  function cellAt(map, x, y) {
    const column = Math.floor((x - map.left) / map.step_x);
    const dx = Math.floor((x - map.left - column * map.step_x) / map.cell);
    const row = Math.floor((y - 1) / map.step_y);
    const dy = Math.floor((y - 1 - row * map.step_y) / map.cell);
    const cell = (row * map.columns + column) * map.block + dy * map.row + dx;
    const isInside = column >= 0 && column < map.columns && dx >= 0 && dx < map.row && dx + dy * map.row < map.block;
    return isInside && row >= 0 && cell >= 0 && cell < map.cells ? cell : -1;
  }
  function coordinate(axis, rank) { return Math.floor(rank / axis[2]) % axis[1]; }
  function peers(map, kind, rank) {
    let ranks = [rank];
    for (const i of kind.along) {
      const axis = map.grids[kind.grid][i];
      const base = coordinate(axis, rank) * axis[2];
      const wider = [];
      for (const one of ranks) {
        for (let k = 0; k < axis[1]; ++k) wider.push(one - base + k * axis[2]);
      }
      ranks = wider;
    }
    return ranks.sort((a, b) => a - b);
  }
  function pathOf(map, cells) {
    const side = map.cell - 2;
    let path = "";
    for (const cell of cells) {
      if (cell >= map.cells) continue;
      const [x, y] = cellPlace(map, cell);
      path += `M${x} ${y}h${side}v${side}h-${side}z`;
    }
    return path;
  }
  function listed(ranks) {
    return ranks.length > 12 ? `${ranks.slice(0, 8).join(", ")}, … ${ranks[ranks.length - 1]}` : ranks.join(", ");
  }
  function where(map, rank) {
    const parts = [`node ${Math.floor(rank / map.ranks_per_node)}, GPU ${rank % map.ranks_per_node}`];
    map.grids.forEach((grid, i) => {
      for (const axis of grid) {
        const known = i > 0 && map.grids[0].some((other) => other[0] === axis[0]);
        if (axis[1] > 1 && !known) parts.push(`${axis[0]} ${coordinate(axis, rank)}`);
      }
    });
    return parts.join(", ");
  }

  function startMap(holder) {
    const map = data.modules[Number(holder.dataset.map)].map;
    const svg = holder.querySelector("svg");
    const seen = new Set();
    // Of several names for the same ranks an axis's stands for all, else the first.
    const axes = map.grids[0].map((axis) => axis[0]);
    const isOther = (kind) => Number(!axes.includes(kind.name));
    const kinds = [...map.groups].sort((a, b) => isOther(a) - isOther(b)).filter((kind) => {
      const same = kind.along ? `${kind.size} ${peers(map, kind, 0).join()}` : "";
      if (!same || seen.has(same)) return false;
      seen.add(same);
      return true;
    });
    if (kinds.length === 0) return;
    let chosen = kinds[0];
    let rank = 0;
    let isHeld = false;
    const overlay = svg.appendChild(document.createElementNS(svgNamespace, "path"));
    overlay.setAttribute("class", "peers");
    const frame = svg.appendChild(document.createElementNS(svgNamespace, "path"));
    frame.setAttribute("class", "chosen");
    const about = make("p", `Point at a ${map.unit > 1 ? "node to see the groups of its first rank" : "rank to see its groups"}, click to hold it; with the keyboard, the arrow keys.`, { class: "about", "aria-live": "polite" });
    const bar = make("div", "", { class: "kinds", role: "group", "aria-label": "groups to show" });
    const buttons = kinds.map((kind) => {
      const button = make("button", kind.name, { type: "button", "aria-pressed": String(kind === chosen) });
      button.addEventListener("click", () => {
        chosen = kind;
        buttons.forEach((other, i) => other.setAttribute("aria-pressed", String(kinds[i] === chosen)));
        show();
      });
      bar.append(button);
      return button;
    });
    function show() {
      const group = peers(map, chosen, rank);
      const cells = [...new Set(group.map((one) => Math.floor(one / map.unit)))];
      const nodes = new Set(group.map((one) => Math.floor(one / map.ranks_per_node))).size;
      overlay.setAttribute("d", pathOf(map, cells));
      frame.setAttribute("d", pathOf(map, [Math.floor(rank / map.unit)]));
      about.textContent = `rank ${rank}: ${where(map, rank)}. Its ${chosen.name} group: ${group.length} ranks on ${nodes} ${nodes === 1 ? "node" : "nodes"}: ${listed(group)}`;
    }
    function pointed(event) {
      const box = svg.getBoundingClientRect();
      const view = svg.viewBox.baseVal;
      return cellAt(map, (event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height);
    }
    svg.addEventListener("pointermove", (event) => {
      const cell = pointed(event);
      if (isHeld || cell < 0 || cell * map.unit === rank && frame.hasAttribute("d")) return;
      rank = cell * map.unit;
      show();
    });
    svg.addEventListener("click", (event) => {
      const cell = pointed(event);
      if (cell < 0) return;
      isHeld = !isHeld || cell * map.unit !== rank;
      rank = cell * map.unit;
      show();
    });
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    const line = map.row * map.columns;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: map.unit > 1 ? line : map.ranks_per_node, ArrowUp: map.unit > 1 ? -line : -map.ranks_per_node };
    svg.addEventListener("keydown", (event) => {
      const last = map.cells - 1;
      let cell = Math.floor(rank / map.unit);
      if (event.key in steps) cell += steps[event.key];
      else if (event.key === "Home") cell = 0;
      else if (event.key === "End") cell = last;
      else return;
      event.preventDefault();
      rank = Math.min(Math.max(cell, 0), last) * map.unit;
      show();
    });
    svg.addEventListener("focus", () => { if (!frame.hasAttribute("d")) show(); });
    holder.prepend(bar);
    holder.append(about);
  }
  for (const holder of document.querySelectorAll(".map")) startMap(holder);

  document.documentElement.dataset.ready = "true";
})();
