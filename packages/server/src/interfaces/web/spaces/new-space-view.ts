import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '@recto/lib/languages.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import { type Choice, errorNotice, radioButtons, selectField, textField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { currentLanguage, type Html, html, msg, t } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { GALLERY, NEW_SPACE } from '../urls.ts'

export const VISIBILITIES = [
  { value: 'org', text: msg('Everybody in the organisation'), help: msg('All people and agents can read it.') },
  { value: 'private', text: msg('Members only'), help: msg('Hidden from everyone else.') },
] as const

/** A further choice, where the installation has public spaces. */
export const PUBLIC = {
  value: 'public',
  text: msg('Everybody'),
  help: msg('Read without an account, also by search engines.'),
}

export const DEFAULT_ROLES = [
  { value: 'viewer', text: msg('read') },
  { value: 'editor', text: msg('read and write') },
] as const

/** The languages of spaces by name; `none` is last. */
export function languageChoices(): readonly Choice[] {
  const names = new Intl.DisplayNames(currentLanguage(), { type: 'language' })
  return LANGUAGES.map((value) => {
    return { value, text: value === 'none' ? t('No language, such as code') : (names.of(value) ?? value) }
  }).toSorted((a, b) => Number(a.value === 'none') - Number(b.value === 'none') || compareText(a.text, b.text))
}

export const LANGUAGE_HELP = msg(
  'Search finds words of this language in all their forms. A page can name its own: `lang` in its front matter.',
)

/** The form for a new, empty space. */
export function newSpaceScreen(failed?: FailedForm): Screen {
  return {
    crumbs: [{ text: t('New space'), href: NEW_SPACE }],
    heading: t('New space'),
    main: html`<p>${t(
      'A space holds pages that belong together. To start with existing pages, <link>choose a template</link>.',
      { link: (text) => html`<a href="${GALLERY}">${text}</a>` },
    )}</p>
${errorNotice(failed)}
<form class="form" method="post" action="${NEW_SPACE}">
${CSRF_FIELD}
${spaceFields({ failed })}
<button type="submit" class="button primary">${t('Create space')}</button>
</form>`,
  }
}

/** The fields of a new space. */
export function spaceFields(fields: {
  readonly failed?: FailedForm | undefined
  readonly name?: string
  readonly description?: string
  readonly language?: Language
}): Html {
  const { failed } = fields
  return html`${textField('name', t('Name'), { required: true, maxLength: 200, value: fields.name ?? '', failed })}
${textField('slug', t('Slug'), {
  maxLength: 64,
  pattern: '[a-z0-9]+(-[a-z0-9]+)*',
  failed,
  help: t(
    'Part of the URL of every page, e.g. `field-notes`: lower-case letters, digits and single hyphens. ' +
      'Leave empty to use the name.',
  ),
})}
${textField('description', t('Description'), { maxLength: 2000, rows: 2, value: fields.description ?? '', failed })}
${radioButtons('visibility', t('Who can see it'), { value: 'org', choices: translateChoices(VISIBILITIES), failed })}
${selectField('defaultRole', t('Access for non-members'), {
  value: 'viewer',
  choices: translateChoices(DEFAULT_ROLES),
  failed,
  help: t('Applies to spaces that everybody can see. Agents can only read until they are members.'),
})}
${selectField('language', t('Language'), {
  value: fields.language ?? DEFAULT_LANGUAGE,
  choices: languageChoices(),
  failed,
  help: t(LANGUAGE_HELP),
})}`
}
