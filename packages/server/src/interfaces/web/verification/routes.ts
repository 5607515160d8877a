import { pageUrl } from '@recto/contract/page-url.ts'
import type { FastifyRequest } from 'fastify'
import { readPage } from '../../../content/pages/read.ts'
import { takeBackVerification, verifyPage } from '../../../content/pages/verification/verification.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { buttonForm, errorNotice, hidden, selectField, translateChoices } from '../controls.ts'
import { readNumber, readText } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, msg, t } from '../html.ts'
import { type PageParams, pageFrame, preconditions, screenAddress, screenPage } from '../page-screen.ts'
import { moment } from '../rows.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { verifyUrl } from '../urls.ts'
import { verificationText } from './tick-view.ts'

const MAX_MONTHS = 12

const CHOICES = [
  { value: '1', text: msg('In a month') },
  { value: '3', text: msg('In 3 months') },
  { value: '6', text: msg('In 6 months') },
  { value: '12', text: msg('In a year') },
  { value: '', text: msg('Never') },
]

/** Who verified a page, and the forms that do. */
export const verificationScreenRoutes = registerRoutes(
  screenRoute('/verify/:space/*', { view: (request) => show(request) }),
  formRoute('/verify/:space/*', {
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      const url = pageUrl(address.space, address.path)
      if (readText(body, 'remove') === 'yes') {
        await takeBackVerification(ctx, address)
        return { url, message: { text: t('The verification was taken back.') } }
      }
      const months = readNumber(body, 'months')
      const until = months > 0 && months <= MAX_MONTHS ? addMonths(ctx.now(), months).toISOString() : undefined
      await verifyPage(ctx, address, { until, preconditions: preconditions(readText(body, 'version')) })
      return { url, message: { text: t('The page is verified.') } }
    },
    view: show,
  }),
)

/** Whether somebody verified a page, and for editors the forms that verify it and take that back. */
async function show(request: FastifyRequest<{ Params: PageParams }>, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const address = screenAddress(request.params)
  const [page, { verification }] = await Promise.all([screenPage(ctx, address), readPage(ctx, address)])
  const { space, path, title, version } = page
  const here = verifyUrl(space, path)
  return pageFrame(page, undefined, {
    heading: t('Verification of {title}', { title }),
    main: html`<p>${
      verification
        ? html`${verificationText(verification)}. <span class="quiet">${t('Verified {when}.', {
            when: moment(verification.at),
          })}</span>`
        : t('Nobody has verified this page.')
    }</p>
${errorNotice(failed)}
${
  page.proposes &&
  html`<p>${t(
    'Verify the page to tell readers and agents that what it says is right. A change of the page ends that.',
  )}</p>
<form class="form" method="post" action="${here}">
${CSRF_FIELD}${hidden('version', String(version))}
${selectField('months', t('It has to be looked at again'), { value: '6', choices: translateChoices(CHOICES), failed })}
<p class="buttons"><button type="submit" class="button primary">${t('Verify version {version}', {
    version,
  })}</button> <a class="button" href="${pageUrl(space, path)}">${t('Cancel')}</a></p>
</form>
${
  verification &&
  html`<h2>${t('Take back')}</h2>\n<p>
${buttonForm(here, t('Take the verification back'), { fields: { remove: 'yes' } })}</p>`
}`
}`,
  })
}

/** The same time of the day that many months later, at the latest on the last day of that month. */
function addMonths(from: Date, months: number): Date {
  const day = new Date(from)
  day.setUTCMonth(day.getUTCMonth() + months)
  if (day.getUTCDate() !== from.getUTCDate()) day.setUTCDate(0)
  return day
}
