import { type Html, html } from './html.ts'
import { ICON_PATHS, type IconName } from './icon-paths.ts'

/** A decorative icon, hidden from screen readers. The style sheet sizes it; the attributes do where it is missing. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path
    d="${ICON_PATHS[name]}"/></svg>`
}

/** The emoji of a page or space before its name, which says the same: hidden from screen readers. */
export function emoji(icon: string | null | undefined): Html | undefined {
  return icon === null || icon === undefined ? undefined : html`<span class="emoji" aria-hidden="true">${icon}</span> `
}
