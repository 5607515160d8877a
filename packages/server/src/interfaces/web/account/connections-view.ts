import { redirectTarget } from '../../../identity/oauth/client-metadata.ts'
import type { AppConnection } from '../../../identity/oauth/connections.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed } from '../controls.ts'
import { type Html, html, msg, t } from '../html.ts'
import { lastUsed } from '../keys-view.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import { CONNECT, endConnectionUrl } from '../urls.ts'

const SCOPE_TEXTS = { read: msg('read'), propose: msg('read and propose'), write: msg('read and write') }

/** The apps that act for the caller. */
export function connectionsSection(connections: List<AppConnection>, mayEnd: boolean): Html {
  const list = connections.items.map((connection) => connectionRow(connection, mayEnd))
  return html`<section aria-labelledby="connections"><h2 id="connections">${t('Connected apps')}</h2>
<p>${t('Apps and assistants that act for you, with your permission.')} <a
  href="${CONNECT}">${t('Connect an assistant')}</a></p>
${rows(t('Connected apps'), list, html`<p>${t('No app is connected.')}</p>`)}</section>`
}

function connectionRow(connection: AppConnection, mayEnd: boolean): Row {
  const { id, app, scopes, spaces, createdAt, lastUsedAt } = connection
  const target = redirectTarget(app.redirectUri)
  const when = moment(createdAt)
  return {
    title: app.name,
    badges: [badge(t(SCOPE_TEXTS[scopes.at(-1) ?? 'read']))],
    about: html`${nameSpaces(spaces)}; ${
      target?.kind === 'web'
        ? t('connected {when} from {origin}', { when, origin: target.name })
        : t('connected {when}', { when })
    }${lastUsedAt !== null && html`; ${lastUsed(lastUsedAt)}`}`,
    ...(mayEnd && {
      actions: confirmed({
        action: endConnectionUrl(id),
        text: t('Disconnect'),
        about: t('the app {name}', { name: app.name }),
        sure: t('Disconnect now'),
        warning: t('The app loses access within a second. What it wrote stays.'),
      }),
    }),
  }
}

function nameSpaces(spaces: AppConnection['spaces']): string {
  if (spaces === null) return t('all spaces')
  if (spaces.length === 0) return t('only spaces that you cannot access any more')
  return t('only {spaces}', { spaces: spaces.join(', ') })
}
