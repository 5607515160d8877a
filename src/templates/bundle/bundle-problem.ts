import { AppError, type ErrorCode, type Issue } from '../../errors.ts'

/** An upload that cannot be parsed. `path` is a JSON Pointer or the name of a file. */
export class BundleProblem extends AppError {
  readonly issue: Issue

  constructor(
    path: string,
    message: string,
    code: Extract<ErrorCode, 'invalid_bundle' | 'invalid_archive'> = 'invalid_bundle',
  ) {
    super(code, `The upload cannot be read: ${path === '' ? '' : `\`${path}\`: `}${message}.`, {
      issues: [{ path, message }],
    })
    this.issue = { path, message }
  }
}
