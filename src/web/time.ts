import { type Html, html } from './html.ts'

/** A time to the minute, in UTC. */
export function time(at: Date): Html {
  const iso = at.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
