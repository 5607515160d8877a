/** Creates an element with attributes and children. Strings become text nodes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...children)
  return made
}

/** Appends any number of children one by one. */
export function filled<T extends Element>(parent: T, children: Iterable<Node | string>): T {
  for (const child of children) parent.append(child)
  return parent
}

/** A button with a click handler, which does not submit the form. */
export function button(text: string, className: string, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: className }, text)
  made.addEventListener('click', act)
  return made
}
