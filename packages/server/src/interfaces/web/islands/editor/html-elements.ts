/** Elements of the clipboard: documents outside browsers have neither `append` nor iterable lists. */

/** All that match, as an array. */
export function find(root: Document | Element, selector: string): Element[] {
  return Array.from(root.querySelectorAll(selector))
}

/** Leaves the children of an element in its place. */
export function unwrap(element: Element): void {
  while (element.firstChild) element.before(element.firstChild)
  element.remove()
}

/** Puts the children of an element into another one. */
export function moveChildren(from: Node, to: Element): Element {
  while (from.firstChild) to.appendChild(from.firstChild)
  return to
}
