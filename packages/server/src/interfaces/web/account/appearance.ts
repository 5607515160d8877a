import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Appearance, ScreenSettings } from '../../../identity/people/appearance.ts'
import { cookieHeader, cookieIn, hostCookieName } from '../../../identity/sessions/session-cookie.ts'
import { selectField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { ACCOUNT_APPEARANCE } from '../urls.ts'

const NAME = 'recto_appearance'
/** The longest time that browsers keep a cookie (RFC 6265bis). */
const SECONDS = 400 * 24 * 3600
const CHOICES = [
  { value: 'system', text: 'As the system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
]

/** Keeps the appearance in the browser, where the island `appearance` reads it. */
export function keepAppearance(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { publicUrl, appearance }: { readonly publicUrl: string; readonly appearance: Appearance },
): void {
  const name = hostCookieName(NAME, publicUrl)
  const isSystem = appearance === 'system'
  if (isSystem && cookieIn(request.headers.cookie, name) === undefined) return
  const value = isSystem ? '' : appearance
  const cookie = cookieHeader(publicUrl, { name, value, seconds: isSystem ? 0 : SECONDS, readable: true })
  reply.header('Set-Cookie', cookie)
}

export function screensSection({ appearance, hidesPresence }: ScreenSettings): Html {
  return html`<section aria-labelledby="screens-heading"><h2 id="screens-heading">Screens</h2>
<form class="form" method="post" action="${ACCOUNT_APPEARANCE}">
${CSRF_FIELD}
${selectField({ name: 'appearance', label: 'Colours', value: appearance, choices: CHOICES })}
<label class="check"><input type="checkbox" name="presence" value="on"${!hidesPresence && html` checked`}> Show others which pages I read and edit at the moment</label>
<button type="submit" class="button primary">Save the screens</button>
</form></section>`
}
