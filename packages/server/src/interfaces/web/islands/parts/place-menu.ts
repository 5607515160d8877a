/** Places an open menu below its button, within the window. */
export function placeMenu(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`
  menu.style.top = `${Math.max(8, Math.min(at.bottom + 4, innerHeight - height - 8))}px`
}
