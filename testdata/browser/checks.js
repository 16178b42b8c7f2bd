// What only a browser knows about a page. Each function lists what is wrong. Colours are computed from styles.
var clear = [0, 0, 0, 0];

function colour(text) {
  var m = /^rgba?\(([^)]*)\)$/.exec(text);
  if (!m) return null;
  var n = m[1].split(/[\s,\/]+/).map(Number);
  return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1];
}
function over(front, back) {
  var a = front[3];
  return [0, 1, 2].map(function (i) { return front[i] * a + back[i] * (1 - a); }).concat(1);
}
function light(c) {
  var l = c.slice(0, 3).map(function (v) { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
  return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
}
function ratio(a, b) {
  var x = light(a), y = light(b);
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
// ground is what is behind an element.
function ground(e) {
  var layers = [];
  for (; e; e = e.parentElement) {
    var c = colour(getComputedStyle(e).backgroundColor) || clear;
    layers.push(c);
    if (c[3] === 1) break;
  }
  return layers.reverse().reduce(function (back, c) { return over(c, back); }, [255, 255, 255, 1]);
}
function opacity(e) {
  var o = 1;
  for (; e; e = e.parentElement) o *= Number(getComputedStyle(e).opacity);
  return o;
}
function unfold() { document.querySelectorAll('details').forEach(function (d) { d.open = true; }); }
function shown(e) {
  var r = e.getBoundingClientRect();
  return r.width > 1 && r.height > 1 && e.checkVisibility() && !e.closest('.spoken, .defs');
}
function name(e) { return e.tagName + (e.getAttribute('class') ? '.' + e.getAttribute('class') : '') + ' "' + (e.textContent || '').trim().slice(0, 40) + '"'; }
function few(list) { return list.length > 5 ? list.slice(0, 5).concat('and ' + (list.length - 5) + ' more') : list; }

// contrast: each text has 4.5 : 1.
function contrast() {
  unfold();
  var list = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = 0;
  while (walker.nextNode()) {
    var e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !shown(e)) continue;
    seen++;
    var style = getComputedStyle(e), back = ground(e);
    var c = colour(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
    if (!c) { list.push(name(e) + ' has an unknown colour'); continue; }
    c[3] *= opacity(e);
    var r = ratio(over(c, back), back);
    if (r < 4.5) list.push(name(e) + ' has a contrast of ' + r.toFixed(2));
  }
  if (seen < 20) list.push('only ' + seen + ' texts were seen');
  return few(list);
}

// paints are the colours that a shape shows: its fill, or the lines of its pattern, and its edge.
function paints(e) {
  var style = getComputedStyle(e), list = [], m = /url\("?#([^")]+)"?\)/.exec(style.fill);
  if (m) {
    document.querySelectorAll('#' + CSS.escape(m[1]) + ' path').forEach(function (p) { list.push(colour(getComputedStyle(p).stroke)); });
  } else if (style.fill !== 'none') {
    list.push(colour(style.fill));
  }
  if (style.stroke !== 'none') list.push(colour(style.stroke));
  return list.filter(Boolean);
}
// shapes: each shape of a picture has 3 : 1 against its ground; lines of a grid are no information.
function shapes() {
  unfold();
  var list = [];
  document.querySelectorAll('svg[role=img] :is(rect, circle, polygon, polyline, line):not(.grid), .swatch rect, .icon circle').forEach(function (e) {
    var back = ground(e), best = Math.max.apply(null, paints(e).map(function (c) { return ratio(over(c, back), back); }).concat(1));
    if (best < 3) list.push(name(e) + ' has a contrast of ' + best.toFixed(2));
  });
  return few(list);
}
// separate: the ground is between neighbours of a bar.
function separate() {
  var list = [];
  document.querySelectorAll('svg[role=img]').forEach(function (svg) {
    var bars = Array.from(svg.querySelectorAll('rect[class^="k-"], rect[class^="f-"]')).map(function (e) {
      var r = e.getBoundingClientRect(), style = getComputedStyle(e); // a line is half outside
      var half = style.stroke === 'none' ? 0 : parseFloat(style.strokeWidth) / 2 * r.height / Number(e.getAttribute('height'));
      return [e, {left: r.left - half, right: r.right + half, top: r.top - half, bottom: r.bottom + half}];
    });
    for (var i = 1; i < bars.length; i++) {
      var a = bars[i - 1][1], b = bars[i][1];
      var apart = Math.max(b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom);
      if (apart < 0.4) list.push(name(bars[i][0]) + ' is ' + apart.toFixed(2) + ' pixels from its neighbour');
    }
  });
  return few(list);
}
// wide: the page does not scroll sideways.
function wide() {
  var root = document.documentElement, list = [];
  if (root.scrollWidth <= root.clientWidth) return list;
  list.push('the page is ' + root.scrollWidth + ' pixels wide, the window ' + root.clientWidth);
  document.querySelectorAll('body *').forEach(function (e) {
    if (!e.closest('.scroll') && e.getBoundingClientRect().right > root.clientWidth + 1) list.push(name(e));
  });
  return few(list);
}
// clipped: no text is cut off.
function clipped() {
  unfold();
  var list = [];
  document.querySelectorAll('body *').forEach(function (e) {
    var style = getComputedStyle(e);
    if (!shown(e) || e.namespaceURI.endsWith('svg') || style.overflowX === 'visible' && style.overflowY === 'visible') return;
    if (style.overflowY === 'hidden' && e.scrollHeight > e.clientHeight + 1 || style.overflowX === 'hidden' && e.scrollWidth > e.clientWidth + 1) list.push(name(e) + ' is cut off');
  });
  document.querySelectorAll('svg[role=img] text').forEach(function (e) {
    var r = e.getBoundingClientRect(), plane = e.ownerSVGElement.getBoundingClientRect();
    if (r.left < plane.left - 1 || r.right > plane.right + 1 || r.top < plane.top - 1 || r.bottom > plane.bottom + 1) list.push(name(e) + ' leaves the picture');
  });
  return few(list);
}
// targets: what is clicked outside of a text is at least 24 pixels high.
function targets() {
  var list = [];
  document.querySelectorAll('summary, nav a, .skip').forEach(function (e) {
    var r = e.getBoundingClientRect();
    if (e.checkVisibility() && (r.height < 24 || r.width < 24)) list.push(name(e) + ' has ' + r.width.toFixed(0) + ' by ' + r.height.toFixed(0) + ' pixels');
  });
  return few(list);
}
// focus: what the keyboard reaches shows it, and the skip link comes first and appears.
function focus() {
  unfold();
  var list = [], all = Array.from(document.querySelectorAll('a[href], summary, [tabindex="0"]'));
  if (!all[0] || !all[0].matches('.skip')) list.push('the skip link is not first');
  all.forEach(function (e) {
    e.focus({preventScroll: true});
    var style = getComputedStyle(e);
    if (document.activeElement !== e) list.push(name(e) + ' gets no focus');
    else if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) list.push(name(e) + ' does not show the focus');
    else if (ratio(colour(style.outlineColor), ground(e.parentElement)) < 3) list.push(name(e) + ' shows the focus too weakly');
    if (e.matches('.skip') && e.getBoundingClientRect().top < 0) list.push('the skip link stays hidden');
  });
  return few(list);
}
// motion: nothing moves for those who ask for that.
function motion() {
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return [];
  return Array.from(document.querySelectorAll('*')).filter(function (e) {
    var style = getComputedStyle(e);
    return style.scrollBehavior === 'smooth' || style.transitionDuration !== '0s' || style.animationName !== 'none';
  }).slice(0, 5).map(function (e) { return name(e) + ' moves'; });
}
// unfolded: on paper, what is folded is shown.
function unfolded() {
  var list = [];
  document.querySelectorAll('details:not([open])').forEach(function (d) {
    var e = d.lastElementChild;
    if (e.tagName !== 'SUMMARY' && !e.checkVisibility({contentVisibilityAuto: true}) || e.getBoundingClientRect().height < 1) list.push(name(d) + ' stays folded');
  });
  return few(list);
}
// blackOnWhite: so is everything on paper.
function blackOnWhite() {
  var list = [];
  document.querySelectorAll('body, body *').forEach(function (e) {
    var style = getComputedStyle(e), back = colour(style.backgroundColor);
    if (style.color !== 'rgb(0, 0, 0)') list.push(name(e) + ' is ' + style.color);
    if (back[3] > 0 && light(back) < 1) list.push(name(e) + ' is on ' + style.backgroundColor);
  });
  return few(list);
}
// spoil adds a rule to the style sheet.
function spoil(rule) {
  var sheet = document.styleSheets[0];
  sheet.insertRule(rule, sheet.cssRules.length);
}
