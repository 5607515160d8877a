import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { pageParams } from '../../../access/schema.ts'
import { verificationSchema } from '../../../access/verification.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { verificationReport } from './report.ts'
import { verificationReportQuery, verificationReportSchema, verifyPageSchema } from './schema.ts'
import { takeBackVerification, verifyPage } from './verification.ts'

const { action, endpoint } = declareEndpoints('Pages', pageParams.properties)

/** Who says that pages are right. */
export const verificationRoutes = registerRoutes(
  endpoint({
    route: 'PUT /verifications/:space/:path',
    config: { errors: ['invalid_path', 'page_deleted'], headers: { request: ['if-match'] } },
    operationId: 'verifications.set',
    summary: 'Say that the present version of a page is right',
    description:
      'For editors who are signed in with a browser: no key and no app says so. `If-Match` is honoured when sent. ' +
      'It makes no version, and repeating it changes nothing.',
    body: verifyPageSchema,
    response: { 200: verificationSchema },
    handler: ({ ctx, params, body, headers }) =>
      verifyPage(ctx, addressIn(params), { ...body, preconditions: parsePreconditions(headers, false) }),
  }),
  action({
    route: 'DELETE /verifications/:space/:path',
    config: { errors: ['invalid_path', 'page_deleted'] },
    operationId: 'verifications.remove',
    summary: 'Take the verification of a page back',
    description: 'For editors who are signed in with a browser.',
    act: ({ ctx, params }) => takeBackVerification(ctx, addressIn(params)),
  }),
  endpoint({
    route: 'GET /spaces/:space/reports/verification',
    operationId: 'verifications.report',
    summary: 'List the pages of a space by their verification',
    description:
      'In the order of their paths; only pages that you can read count. ' +
      'A page of the list may be short before its end: go on while there is a `nextCursor`.',
    querystring: verificationReportQuery,
    response: { 200: verificationReportSchema },
    handler: ({ ctx, params, query }) => verificationReport(ctx, { ...query, space: parseSlug(params.space) }),
  }),
)
