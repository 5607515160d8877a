/** An element with its attributes and what stands in it. Text stays text. */
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

/** A button that does something here, and submits nothing. */
export function button(text: string, act: () => void, className = 'button'): HTMLButtonElement {
  const made = element('button', { type: 'button', class: className }, text)
  made.addEventListener('click', act)
  return made
}
