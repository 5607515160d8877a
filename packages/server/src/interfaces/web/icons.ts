import { type Html, html } from './html.ts'

/** The SVG paths of each icon, on a square of 24. */
const PATHS = {
  search: 'M11 4a7 7 0 1 1 0 14a7 7 0 0 1 0-14M20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  person: 'M12 4a4 4 0 1 1 0 8a4 4 0 0 1 0-8M4 20c1-4 4-6 8-6s7 2 8 6',
  more: 'M5 11a1 1 0 1 1 0 2a1 1 0 1 1 0-2M12 11a1 1 0 1 1 0 2a1 1 0 1 1 0-2M19 11a1 1 0 1 1 0 2a1 1 0 1 1 0-2',
  chevron: 'M9 6l6 6-6 6',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  sidebar: 'M4 5h16v14H4zM10 5v14',
  list: 'M4 6h16M4 12h16M4 18h10',
  pen: 'M4 20l1-4L16 5l3 3L8 19z',
  tick: 'M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18M8 12l3 3 5-6',
  lock: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4',
  eye: 'M3 12c2.5-4 5.5-6 9-6s6.5 2 9 6c-2.5 4-5.5 6-9 6s-6.5-2-9-6zM12 9a3 3 0 1 1 0 6a3 3 0 0 1 0-6',
  star: 'M12 4l2.4 5.2 5.6.7-4.1 3.9 1.1 5.6-5-2.8-5 2.8 1.1-5.6L4 9.9l5.6-.7z',
} as const

export type IconName = keyof typeof PATHS

/** A decorative icon, hidden from screen readers. The style sheet sizes it; the attributes do where it is missing. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`
}

/** The emoji of a page or space before its name, which says the same: hidden from screen readers. */
export function emoji(icon: string | null | undefined): Html | undefined {
  return icon === null || icon === undefined ? undefined : html`<span class="emoji" aria-hidden="true">${icon}</span> `
}
