// Shows the values under the pointer on line charts. Without it the page is complete.
(function () {
  "use strict";
  function numbers(text) { return text.split(",").map(Number); }
  function value(axis, place) {
    var t = (place - axis[0]) / (axis[1] - axis[0]);
    return axis[4] ? axis[2] * Math.pow(axis[3] / axis[2], t) : axis[2] + t * (axis[3] - axis[2]);
  }
  function points(path) {
    var found = [], each = /[ML](-?[\d.]+) (-?[\d.]+)/g, m;
    while ((m = each.exec(path.getAttribute("d")))) { found.push([Number(m[1]), Number(m[2])]); }
    return found;
  }
  function nearest(list, x) {
    var best = null;
    list.forEach(function (p) { if (!best || Math.abs(p[0] - x) < Math.abs(best[0] - x)) { best = p; } });
    return best;
  }
  function short(v) { return String(Number(v.toPrecision(3))); }
  document.querySelectorAll("svg.taut-chart[data-x]").forEach(function (svg) {
    var paths = Array.prototype.slice.call(svg.querySelectorAll("path.series"));
    if (!paths.length) { return; }
    var x = numbers(svg.dataset.x), y = numbers(svg.dataset.y), area = numbers(svg.dataset.area);
    var units = svg.dataset.units.split("|");
    var series = paths.map(function (p) { return { name: p.dataset.name, points: points(p) }; });
    var line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "axis");
    line.setAttribute("y1", area[1]);
    line.setAttribute("y2", area[1] + area[3]);
    line.setAttribute("visibility", "hidden");
    svg.appendChild(line);
    var tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    svg.parentNode.appendChild(tip);
    function hide() { tip.hidden = true; line.setAttribute("visibility", "hidden"); }
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("pointermove", function (event) {
      var box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      var at = (event.clientX - box.left) * scale;
      if (at < area[0] || at > area[0] + area[2]) { hide(); return; }
      var found = series.map(function (s) { return nearest(s.points, at); });
      var closest = nearest(found.filter(Boolean), at);
      if (!closest) { hide(); return; }
      var snapped = closest[0], rows = [];
      found.forEach(function (p, i) {
        // A series with a gap here has nothing to say.
        if (p && Math.abs(p[0] - snapped) < 2) {
          rows.push(series[i].name + "  " + short(value(y, p[1])) + " " + units[1]);
        }
      });
      line.setAttribute("x1", snapped);
      line.setAttribute("x2", snapped);
      line.setAttribute("visibility", "visible");
      tip.textContent = [short(value(x, snapped)) + " " + units[0]].concat(rows).join("\n");
      tip.hidden = false;
      var host = svg.parentNode.getBoundingClientRect(), left = event.clientX - host.left;
      tip.style.left = (left > host.width / 2 ? left - tip.offsetWidth - 14 : left + 14) + "px";
      tip.style.top = (event.clientY - host.top - 10) + "px";
    });
  });
})();
