import { hidden, renderOptions } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'

const ROLES = [
  { value: 'viewer', text: msg('Viewer: reads') },
  { value: 'editor', text: msg('Editor: writes') },
  { value: 'admin', text: msg('Admin: manages') },
] as const

/** The form that sets the role of a principal or a group in a space. */
export function roleForm(form: {
  readonly action: string
  /** The principal or group. */
  readonly fields: Readonly<Record<string, string>>
  readonly name: string
  /** The preselected role. */
  readonly role: string
  /** The present role; absent if there is none. */
  readonly before?: string | undefined
  readonly text: string
}): Html {
  const { action, name, role, before = '', text } = form
  const fields = Object.entries({ ...form.fields, before }).map(([field, value]) => hidden(field, value))
  return html`<form class="inline" method="post" action="${action}">
${CSRF_FIELD}${fields}
${roleChoices(name, role)}
<button type="submit" class="button" aria-label="${t('{change} the role of {name}', {
    change: text,
    name,
  })}">${text}</button>
</form>`
}

/** The choice of a role in a space for somebody. */
export function roleChoices(name: string, role: string): Html {
  return html`<select name="role" aria-label="${t('Role of {name}', { name })}">
${renderOptions(
  ROLES.map(({ value, text }) => [value, t(text)]),
  role,
)}</select>`
}
