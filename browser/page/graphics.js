// What pictures and coloured boxes look like.

function colorOf(node, style) {
  if (lower(node) === 'svg') return null;
  if (isSvg(node)) {
    const fill = style.fill !== 'none' ? style.fill : style.stroke;
    return fill && fill !== 'none' ? fill : null;
  }
  const back = style.backgroundColor;
  return back && back !== 'rgba(0, 0, 0, 0)' && back !== 'transparent' ? back : null;
}

function shapeOf(node) {
  const tag = lower(node);
  if (tag === 'canvas') return 'canvas';
  if (!isSvg(node)) return null;
  if (tag === 'polygon' || tag === 'polyline') {
    const corners = node.points ? node.points.numberOfItems : 0;
    return corners === 3 ? 'triangle' : corners === 4 ? 'quadrilateral' : 'polygon';
  }
  if (tag === 'rect') {
    const box = node.getBoundingClientRect();
    return Math.abs(box.width - box.height) < 2 ? 'square' : 'rectangle';
  }
  return tag;
}
