import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Appearance, ScreenSettings } from '../../../identity/people/appearance.ts'
import { cookieHeader, cookieIn, hostCookieName } from '../../../identity/sessions/session-cookie.ts'
import { nameLanguage, SCREEN_LANGUAGES } from '../../../platform/language/t.ts'
import { selectField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { ACCOUNT_APPEARANCE } from '../urls.ts'

const NAME = 'recto_appearance'
/** The longest time that browsers keep a cookie (RFC 6265bis). */
const SECONDS = 400 * 24 * 3600
const COLOURS = { system: msg('As the system'), light: msg('Light'), dark: msg('Dark') }

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

export function screensSection({ appearance, hidesPresence, language }: ScreenSettings): Html {
  const colours = Object.entries(COLOURS).map(([value, text]) => ({ value, text: t(text) }))
  const languages = SCREEN_LANGUAGES.map((tag) => ({ value: tag, text: nameLanguage(tag) }))
  return html`<section aria-labelledby="screens-heading"><h2 id="screens-heading">${t('Screens')}</h2>
<form class="form" method="post" action="${ACCOUNT_APPEARANCE}">
${CSRF_FIELD}
${selectField('appearance', t('Colours'), { value: appearance, choices: colours })}
${selectField('language', t('Language'), {
  value: language ?? '',
  choices: [{ value: '', text: t('As the browser') }, ...languages],
})}
<label class="check"><input type="checkbox" name="presence" value="on"${!hidesPresence && html` checked`}> ${t(
    'Show others which pages I read and edit at the moment',
  )}</label>
<button type="submit" class="button primary">${t('Save the screens')}</button>
</form></section>`
}
