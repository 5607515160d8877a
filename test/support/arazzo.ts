/** Runs workflows of an Arazzo 1.0 document: the parts that ours uses. */
import assert from 'node:assert/strict'
import type { Answer, Client } from './client.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly value: unknown
}

interface Step {
  readonly stepId: string
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly contentType: string; readonly payload: unknown }
  readonly successCriteria: readonly { readonly condition: string }[]
  readonly outputs?: Readonly<Record<string, string>>
}

export interface Workflow {
  readonly workflowId: string
  readonly inputs: { readonly required: readonly string[] }
  readonly steps: readonly Step[]
  readonly outputs?: Readonly<Record<string, string>>
}

interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

/** What expressions refer to. */
interface Scope {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly steps: Record<string, Readonly<Record<string, unknown>>>
  readonly answer?: Answer
}

type Values = Readonly<Record<string, unknown>>

/** Runs the steps in order, and returns the outputs of the workflow; throws where a criterion does not hold. */
export async function runWorkflow(client: Client, api: Api, workflow: Workflow, inputs: Values): Promise<Values> {
  for (const name of workflow.inputs.required) assert.ok(name in inputs, `no input ${name}`)
  const scope: Scope = { inputs, steps: {} }
  for (const step of workflow.steps) {
    const answer = await callStep(client, api, step, scope)
    const after = { ...scope, answer }
    for (const { condition } of step.successCriteria) {
      const where = `${workflow.workflowId} ${step.stepId}: ${condition}`
      assert.ok(holds(condition, after), `${where}: ${answer.status} ${answer.text.slice(0, 300)}`)
    }
    scope.steps[step.stepId] = evaluateAll(step.outputs, after)
  }
  return evaluateAll(workflow.outputs, scope)
}

function callStep(client: Client, api: Api, step: Step, scope: Scope): Promise<Answer> {
  const [url, method] = operationOf(api, step.operationId)
  const of = (place: Parameter['in']) =>
    (step.parameters ?? [])
      .filter((each) => each.in === place)
      .map(({ name, value }) => [name, String(evaluate(value, scope))] as const)
  const path = new Map(of('path'))
  const target = url.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path.get(name) ?? ''))
  const query = new URLSearchParams(of('query').map(([name, value]) => [name, value]))
  return client.call(method.toUpperCase(), query.size === 0 ? target : `${target}?${query}`, {
    headers: Object.fromEntries(of('header')),
    ...(step.requestBody && { json: evaluate(step.requestBody.payload, scope) }),
  })
}

function operationOf({ paths }: Api, operationId: string): readonly [url: string, method: string] {
  for (const [url, methods] of Object.entries(paths)) {
    const found = Object.entries(methods).find(([, operation]) => operation.operationId === operationId)
    if (found) return [url, found[0]]
  }
  throw new Error(`no operation ${operationId}`)
}

/** A simple condition: two expressions, numbers or texts that are compared by `==`. */
function holds(condition: string, scope: Scope): boolean {
  const [left = '', right = ''] = condition.split(' == ').map((part) => part.trim())
  return evaluate(left, scope) === literal(right, scope)
}

function literal(text: string, scope: Scope): unknown {
  if (text.startsWith("'")) return text.slice(1, -1)
  return text.startsWith('$') ? evaluate(text, scope) : JSON.parse(text)
}

function evaluateAll(expressions: Readonly<Record<string, string>> = {}, scope: Scope): Values {
  return Object.fromEntries(
    Object.entries(expressions).map(([name, expression]) => [name, evaluate(expression, scope)]),
  )
}

/** A runtime expression, or a value that contains some. */
function evaluate(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((each) => evaluate(each, scope))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, evaluate(each, scope)]))
  }
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  const { answer } = scope
  if (value === '$statusCode') return answer?.status
  if (value.startsWith('$response.header.')) return answer?.headers.get(value.slice('$response.header.'.length))
  const [, kind = '', rest = ''] = /^\$(inputs|steps|response)[.](.*)$/.exec(value) ?? []
  if (kind === 'response') return walk(answer?.json, rest.replace(/^body#\//, '').split('/'))
  const names = rest.split('.').filter((name) => name !== 'outputs')
  const found = walk(kind === 'inputs' ? scope.inputs : scope.steps, names)
  assert.notEqual(found, undefined, `${value} has no value`)
  return found
}

function walk(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => Object(found)[name], value)
}
