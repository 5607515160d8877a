/** Selects an option of a listbox for its combobox (WAI-ARIA APG, combobox pattern); a negative index selects none. */
export function selectOption(input: HTMLElement, list: HTMLElement, index: number): void {
  input.removeAttribute('aria-activedescendant')
  for (const [place, option] of list.querySelectorAll('[role="option"]').entries()) {
    option.setAttribute('aria-selected', String(place === index))
    if (place !== index) continue
    option.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', option.id)
  }
}

/** The option that an arrow key selects: they wrap around, through none. */
export function nextOption(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return index + 1 < count ? index + 1 : -1
  if (key === 'ArrowUp') return index < 0 ? count - 1 : index - 1
  return undefined
}
