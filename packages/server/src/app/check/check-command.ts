import { type CommandCall, EXIT } from '@recto/cli/command.ts'
import { createStatusLine } from '@recto/cli/progress.ts'
import { loadConfig } from '../../platform/config.ts'
import { type CheckReport, type ContentChecks, checkDatabase } from '../../platform/database/check/check.ts'
import type { CheckProgress } from '../../platform/database/check/finding.ts'
import { checkBlobs } from './store-blobs.ts'
import { checkRevisions } from './store-revisions.ts'
import { checkRules } from './store-rules.ts'

const CONTENT_CHECKS: ContentChecks = { revision: checkRevisions, blob: checkBlobs, '': checkRules }

/** `recto check-database`: checks the database and reports what is wrong. */
export async function checkCommand({ terminal, flag }: CommandCall): Promise<number> {
  const { data, databaseUrl, postgresPrograms: programs } = loadConfig(terminal.env)
  const status = createStatusLine(terminal)
  const progress: CheckProgress = (check, done) => status.show(`${check}: ${done}`)
  const report = await checkDatabase({ data, databaseUrl, programs }, CONTENT_CHECKS, progress)
  status.end()
  terminal.out(flag('json') ? `${JSON.stringify(report)}\n` : formatReport(report))
  return report.findings.length > 0 ? EXIT.partial : EXIT.done
}

function formatReport({ seconds, checked, skipped, findings }: CheckReport): string {
  const lines = findings.map(
    ({ check, table, id, problem, advice }) =>
      `${[check, table, id].filter(Boolean).join(', ')}: ${problem}. ${advice}`,
  )
  lines.push(`Checked in ${seconds.toFixed(1)} s: ${checked.join('; ')}.`)
  for (const part of skipped) lines.push(`Not checked: ${part}.`)
  lines.push(findings.length > 0 ? `Found: ${findings.length}.` : 'Nothing is wrong.')
  return `${lines.join('\n')}\n`
}
