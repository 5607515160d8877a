import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '@recto/lib/languages.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import { errorNotice, radioButtons, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { GALLERY, NEW_SPACE } from '../urls.ts'

export const VISIBILITIES = [
  { value: 'org', text: 'Everybody in the organisation', help: 'All people and agents can read it.' },
  { value: 'private', text: 'Members only', help: 'Hidden from everyone else.' },
] as const

/** A further choice, where the installation has public spaces. */
export const PUBLIC = { value: 'public', text: 'Everybody', help: 'Read without an account, also by search engines.' }

export const DEFAULT_ROLES = [
  { value: 'viewer', text: 'read' },
  { value: 'editor', text: 'read and write' },
] as const

const NAMES = new Intl.DisplayNames('en', { type: 'language' })
/** The languages of spaces by name; `none` is last. */
export const LANGUAGE_CHOICES = LANGUAGES.map((value) => {
  return { value, text: value === 'none' ? 'No language, such as code' : (NAMES.of(value) ?? value) }
}).toSorted((a, b) => Number(a.value === 'none') - Number(b.value === 'none') || compareText(a.text, b.text))

export const LANGUAGE_HELP =
  'Search finds words of this language in all their forms. A page can name its own: `lang` in its front matter.'

/** The form for a new, empty space. */
export function newSpaceScreen(failed?: FailedForm): Screen {
  return {
    title: 'New space · Recto',
    crumbs: [{ text: 'New space', href: NEW_SPACE }],
    main: html`<div class="screen narrow">
<h1>New space</h1>
<p>A space holds pages that belong together. To start with existing pages, <a href="${GALLERY}">choose a template</a>.</p>
${errorNotice(failed)}
<form class="form" method="post" action="${NEW_SPACE}">
${CSRF_FIELD}
${spaceFields({ failed })}
<button type="submit" class="button primary">Create space</button>
</form>
</div>`,
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
  return html`${textField({ name: 'name', label: 'Name', required: true, maxLength: 200, value: fields.name ?? '', failed })}
${textField({ name: 'slug', label: 'Slug', maxLength: 64, pattern: '[a-z0-9]+(-[a-z0-9]+)*', failed, help: 'Part of the URL of every page, e.g. `field-notes`: lower-case letters, digits and single hyphens. Leave empty to use the name.' })}
${textField({ name: 'description', label: 'Description', maxLength: 2000, rows: 2, value: fields.description ?? '', failed })}
${radioButtons({ name: 'visibility', label: 'Who can see it', value: 'org', choices: VISIBILITIES, failed })}
${selectField({ name: 'defaultRole', label: 'Access for non-members', value: 'viewer', choices: DEFAULT_ROLES, failed, help: 'Applies to spaces that everybody can see. Agents can only read until they are members.' })}
${selectField({ name: 'language', label: 'Language', value: fields.language ?? DEFAULT_LANGUAGE, choices: LANGUAGE_CHOICES, failed, help: LANGUAGE_HELP })}`
}
