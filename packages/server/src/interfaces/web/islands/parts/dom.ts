/** Creates an element with attributes and children. Strings become text nodes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const newElement = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) newElement.setAttribute(attribute, value)
  newElement.append(...children)
  return newElement
}

/** HTML of our own templates, which escape all values; undefined if it cannot be had. */
export async function loadFragment(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } })
    // A redirect is a complete page, such as the sign-in screen.
    return response.ok && !response.redirected ? await response.text() : undefined
  } catch {
    return undefined
  }
}

/** Appends any number of children one by one. */
export function filled<T extends Element>(parent: T, children: Iterable<Node | string>): T {
  for (const child of children) parent.append(child)
  return parent
}

/** Replaces the children of an element. */
export function refill(parent: Element, children: Iterable<Node | string>): void {
  parent.replaceChildren()
  filled(parent, children)
}

/** A button with a click handler, which does not submit the form. */
export function button(text: string, className: string, act: () => void): HTMLButtonElement {
  const newButton = element('button', { type: 'button', class: className }, text)
  newButton.addEventListener('click', act)
  return newButton
}

/** Places an open menu below its button, within the window. */
export function placeMenu(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`
  menu.style.top = `${Math.max(8, Math.min(at.bottom + 4, innerHeight - height - 8))}px`
}
