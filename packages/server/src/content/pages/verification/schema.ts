import { type Static, Type } from 'typebox'
import { authorSchema, timeSchema } from '../../../access/schema.ts'
import { verificationSchema } from '../../../access/verification.ts'
import { enumSchema, listSchema, nullable, pagingParameters, strictObject } from '../../../platform/http/schemas.ts'

export const verifyPageSchema = strictObject({
  until: Type.Optional(
    Type.String({ description: 'When it has to be looked at again: a date, or a date-time. Absent: never.' }),
  ),
})

export const REPORTED_STATUSES = ['current', 'changed', 'expired', 'none', 'agents'] as const
export type ReportedStatus = (typeof REPORTED_STATUSES)[number]

export const verificationReportQuery = strictObject({
  status: enumSchema(
    REPORTED_STATUSES,
    '`none`: nobody verified the page. `agents`: all of its versions are by agents or apps, ' +
      'whether or not it is verified.',
  ),
  ...pagingParameters,
})

export const verifiedPageSchema = Type.Object({
  path: Type.String(),
  title: Type.String(),
  version: Type.Integer(),
  updatedAt: timeSchema,
  updatedBy: authorSchema,
  verification: nullable(verificationSchema),
})

const count = Type.Integer()
const countsSchema = Type.Object(
  { current: count, changed: count, expired: count, none: count, agents: count },
  { description: 'The pages of each status that you can read; with the first page of the list.' },
)
export type VerificationCounts = Static<typeof countsSchema>

export const verificationReportSchema = Type.Object({
  ...listSchema(verifiedPageSchema).properties,
  counts: Type.Optional(countsSchema),
})
export type VerificationReport = Static<typeof verificationReportSchema>
