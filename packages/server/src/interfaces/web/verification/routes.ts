import { pageUrl } from '@recto/contract/page-url.ts'
import type { FastifyRequest } from 'fastify'
import { readPage } from '../../../content/pages/read.ts'
import { takeBackVerification, verifyPage } from '../../../content/pages/verification/verification.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { readNumber, readText } from '../fields.ts'
import { t } from '../html.ts'
import { type PageParams, preconditions, screenAddress, screenPage } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { verifyScreen } from './verify-view.ts'

const MAX_MONTHS = 12

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

async function show(request: FastifyRequest<{ Params: PageParams }>, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const address = screenAddress(request.params)
  const [page, { verification }] = await Promise.all([screenPage(ctx, address), readPage(ctx, address)])
  return verifyScreen({ page, verification, failed })
}

/** The same time of the day that many months later, at the latest on the last day of that month. */
function addMonths(from: Date, months: number): Date {
  const day = new Date(from)
  day.setUTCMonth(day.getUTCMonth() + months)
  if (day.getUTCDate() !== from.getUTCDate()) day.setUTCDate(0)
  return day
}
