import type { ApiKey } from '../../identity/keys/api-keys.ts'
import { confirmed, selectField, textField, translateChoices } from './controls.ts'
import { CSRF_FIELD } from './forms.ts'
import { type Html, type HtmlValue, html, msg, t } from './html.ts'
import { actorName, badge, moment, type Row, rows } from './rows.ts'
import type { FailedForm } from './screen.ts'
import { type SpaceChoices, spacesField } from './space-field.ts'
import { adminUrl } from './urls.ts'

const SCOPES = [
  { value: 'read', text: msg('Read') },
  { value: 'propose', text: msg('Read and propose changes') },
  { value: 'write', text: msg('Read and write') },
  { value: 'admin', text: msg('Full access, including administration') },
] as const
const SCOPE_NAMES = { read: msg('read'), propose: msg('propose'), write: msg('write'), admin: msg('admin') }
const LIFETIMES = [
  { value: '30', text: msg('30 days') },
  { value: '90', text: msg('90 days') },
  { value: '365', text: msg('A year') },
  { value: '', text: msg('Never') },
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
    t('API keys'),
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
          text: t('Revoke'),
          about: t('the key {name}', { name }),
          sure: t('Revoke permanently'),
          warning:
            id === current
              ? t('You are signed in with this key and will be signed out. A revoked key cannot be restored.')
              : t('Programs that use this key lose access within a second. A revoked key cannot be restored.'),
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
    badge(t(SCOPE_NAMES[scopes.at(-1) ?? 'read']), scopes.includes('admin') ? 'warning' : 'plain'),
    revokedAt !== null && badge(t('revoked'), 'error'),
    revokedAt === null && isExpired && badge(t('expired'), 'error'),
    id === current && badge(t('current session'), 'info'),
  ]
}

function aboutKey(key: ApiKey, { withOwner }: KeyRows): Html {
  const { spaces, expiresAt, lastUsedAt, revokedAt, createdAt, createdBy, principal } = key
  const byOther = createdBy.id !== principal.id
  const owner = withOwner && html`<a href="${adminUrl('people', principal.id)}">${actorName(principal)}</a>`
  const when = moment(createdAt, 'absolute')
  return html`${owner && html`${t('of {owner}', { owner })}; `}${nameSpaces(spaces)}; ${
    byOther ? t('created {when} by {name}', { when, name: actorName(createdBy) }) : t('created {when}', { when })
  }; ${lastUsed(lastUsedAt)}${
    expiresAt !== null && html`; ${t('expires {when}', { when: moment(expiresAt) })}`
  }${revokedAt !== null && html`; ${t('revoked {when}', { when: moment(revokedAt) })}`}`
}

function nameSpaces(spaces: ApiKey['spaces']): string {
  if (spaces === null) return t('all spaces')
  return spaces.length === 0 ? t('only deleted spaces') : t('only {spaces}', { spaces: spaces.join(', ') })
}

/** When something was used last. */
export function lastUsed(at: string | null): Html {
  return html`${at === null ? t('never used') : t('last used {when}', { when: moment(at) })}`
}

/** The form for a new key. Agents propose unless more is chosen; an assistant's key expires, and never administers. */
export function keyForm(form: {
  readonly action: string
  readonly spaces: SpaceChoices
  readonly failed: FailedForm | undefined
  readonly isAssistant?: boolean
  readonly isAgent?: boolean
}): Html {
  const { action, spaces, failed, isAssistant = false, isAgent = isAssistant } = form
  const help = isAssistant
    ? { name: t('The assistant, e.g. `Cursor on my laptop`.') }
    : { name: t('What the key is for, e.g. `nightly import`.'), scope: t('A key can never do more than its owner.') }
  const scopes = {
    value: isAgent ? 'propose' : 'write',
    choices: translateChoices(isAssistant ? SCOPES.slice(0, -1) : SCOPES),
  }
  const lifetimes = translateChoices(isAssistant ? LIFETIMES.slice(0, -1) : LIFETIMES)
  return html`<form class="form" method="post" action="${action}">
${CSRF_FIELD}
${textField('keyName', t('Name'), { required: true, maxLength: 200, failed, help: help.name })}
${selectField('scope', t('Permissions'), { ...scopes, failed, ...(help.scope !== undefined && { help: help.scope }) })}
${spacesField({ name: 'spaces', spaces, failed })}
${selectField('days', t('Expires after'), { value: '90', choices: lifetimes, failed })}
<button type="submit" class="button primary">${t('Create the key')}</button>
</form>`
}

/** A secret that is shown once, with a button that copies it (with script). */
export function secretBox(secret: { readonly label: string; readonly value: string; readonly about: HtmlValue }): Html {
  return html`<div class="notice success secret" role="status">
<p><strong>${secret.label}</strong></p>
<p>${secret.about}</p>
<p class="copy" data-copy><code id="secret" tabindex="0">${secret.value}</code> <button type="button" class="button"
  data-copy-button hidden>${t('Copy')}</button></p>
</div>`
}
