import type { ApiKey } from '../../identity/keys/api-keys.ts'
import { confirmed, selectField, textField } from './controls.ts'
import { CSRF_FIELD } from './forms.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { actorName, badge, moment, type Row, rows } from './rows.ts'
import type { FailedForm } from './screen.ts'
import { type SpaceChoices, spacesField } from './space-field.ts'
import { adminUrl } from './urls.ts'

const SCOPES = [
  { value: 'read', text: 'Read' },
  { value: 'propose', text: 'Read and propose changes' },
  { value: 'write', text: 'Read and write' },
  { value: 'admin', text: 'Full access, including administration' },
] as const
const LIFETIMES = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: 'A year' },
  { value: '', text: 'Never' },
] as const

interface KeyRows {
  /** The URL that revokes a key. */
  readonly revoke: (id: string) => string
  readonly empty: HtmlValue
  /** Whether to show the owner. */
  readonly withOwner?: boolean
  /** The keys that the caller may revoke; all by default. */
  readonly mayRevoke?: (key: ApiKey) => boolean
  /** The key of the session. */
  readonly current?: string | null
}

/** A list of keys, and revoking them. */
export function keyRows(keys: readonly ApiKey[], options: KeyRows): Html {
  return rows(
    'Keys',
    keys.map((key) => keyRow(key, options)),
    options.empty,
  )
}

function keyRow(key: ApiKey, options: KeyRows): Row {
  const { revoke, mayRevoke = () => true, current } = options
  const { id, name, hint, revokedAt } = key
  return {
    title: html`${name} <code class="mono">${hint}…</code>`,
    badges: listBadges(key, current),
    about: aboutKey(key, options),
    ...(revokedAt === null &&
      mayRevoke(key) && {
        actions: confirmed({
          action: revoke(id),
          text: 'Revoke',
          about: `the key ${name}`,
          sure: 'Revoke permanently',
          warning:
            id === current
              ? 'You are signed in with this key and will be signed out. A revoked key cannot be restored.'
              : 'Programs that use this key lose access within a second. A revoked key cannot be restored.',
        }),
      }),
  }
}

function listBadges(
  { id, scopes, expiresAt, revokedAt }: ApiKey,
  current: KeyRows['current'],
): NonNullable<Row['badges']> {
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return [
    badge(scopes.at(-1) ?? 'read', scopes.includes('admin') ? 'warning' : 'plain'),
    revokedAt !== null && badge('revoked', 'error'),
    revokedAt === null && isExpired && badge('expired', 'error'),
    id === current && badge('current session', 'info'),
  ]
}

function aboutKey(key: ApiKey, { withOwner }: KeyRows): Html {
  const { spaces, expiresAt, lastUsedAt, revokedAt, createdAt, createdBy, principal } = key
  const byOther = createdBy.id !== principal.id
  return html`${withOwner && html`of <a href="${adminUrl('people', principal.id)}">${actorName(principal)}</a>; `}${spaces === null ? 'all spaces' : html`only ${spaces.length === 0 ? 'deleted spaces' : spaces.join(', ')}`}; created ${moment(createdAt)}${byOther && html` by ${actorName(createdBy)}`}; ${lastUsedAt === null ? 'never used' : html`last used ${moment(lastUsedAt)}`}${expiresAt !== null && html`; expires ${moment(expiresAt)}`}${revokedAt !== null && html`; revoked ${moment(revokedAt)}`}`
}

/** The form for a new key. Agents propose unless more is chosen; a key of an assistant never administers, and expires. */
export function keyForm(form: {
  readonly action: string
  readonly spaces: SpaceChoices
  readonly failed: FailedForm | undefined
  readonly isAssistant?: boolean
  readonly isAgent?: boolean
}): Html {
  const { action, spaces, failed, isAssistant = false, isAgent = isAssistant } = form
  const help = isAssistant
    ? { name: 'The assistant, e.g. `Cursor on my laptop`.' }
    : {
        name: 'What the key is for, e.g. `nightly import`.',
        scope: 'A key can never do more than its owner.',
      }
  const scopes = { value: isAgent ? 'propose' : 'write', choices: isAssistant ? SCOPES.slice(0, -1) : SCOPES }
  const lifetimes = isAssistant ? LIFETIMES.slice(0, -1) : LIFETIMES
  return html`<form class="form" method="post" action="${action}">
${CSRF_FIELD}
${textField({ name: 'keyName', label: 'Name', required: true, maxLength: 200, failed, help: help.name })}
${selectField({ name: 'scope', label: 'Permissions', ...scopes, failed, ...(help.scope !== undefined && { help: help.scope }) })}
${spacesField({ name: 'spaces', spaces, failed })}
${selectField({ name: 'days', label: 'Expires after', value: '90', choices: lifetimes, failed })}
<button type="submit" class="button primary">Create the key</button>
</form>`
}

/** A secret that is shown once, with a button that copies it (with script). */
export function secretBox(secret: { readonly label: string; readonly value: string; readonly about: HtmlValue }): Html {
  return html`<div class="notice success secret" role="status">
<p><strong>${secret.label}</strong></p>
<p>${secret.about}</p>
<p class="copy" data-copy><code id="secret" tabindex="0">${secret.value}</code> <button type="button" class="button" data-copy-button hidden>Copy</button></p>
</div>`
}
