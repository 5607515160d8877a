import type { Ctx } from '../../access/ctx.ts'
import type { Webhook } from '../../events/webhooks/schema.ts'
import { webhooksDisabledByService } from '../../events/webhooks/webhook.ts'
import { type Html, html, msg, t } from './html.ts'
import { adminUrl } from './urls.ts'

const REASONS: Readonly<Record<string, string>> = {
  gone: msg('its receiver answered 410 Gone'),
  failing: msg('its deliveries failed for days'),
}

/** The webhooks that the service has disabled; empty except for organisation admins. */
export async function webhookNotice(ctx: Ctx): Promise<Html> {
  const webhooks = await webhooksDisabledByService(ctx)
  return webhooks.length === 0 ? html`` : html`<div class="notice warning" role="status">${webhooks.map(line)}</div>`
}

function line({ id, url, disabledReason }: Webhook): Html {
  const reason = t(REASONS[disabledReason ?? ''] ?? disabledReason ?? '')
  const host = html`<a href="${adminUrl('webhooks', id)}">${new URL(url).host}</a>`
  return html`<p>${t('The webhook {host} was disabled: {reason}.', { host, reason })}</p>`
}
