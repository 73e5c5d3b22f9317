import { createClient, type Client } from '../client/client.ts'
import { errorTable, isErrorCode, MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { taskError, type TaskListItem } from '../contract/task.ts'
import { isAnswering } from '../daemon/ask.ts'
import { readDaemon } from '../daemon/record.ts'
import { conceal } from '../platform/log.ts'

/** Where a service is and the key it takes. */
export interface Address {
  readonly baseUrl: string
  readonly apiKey: string
}

/** One part of a report. */
export interface Section {
  readonly title: string
  readonly text: string
}

interface Question {
  readonly dataDir: string
  /** A service elsewhere; undefined for the local one. */
  readonly service: Address | undefined
  /** Tell the messages of errors, which may name files. */
  readonly withNames: boolean
}

/** Tasks that are told, the latest. */
const tasksTold = 50

/** What a service that runs says of itself and of the caller's latest tasks. */
export async function askService({ dataDir, service, withNames }: Question): Promise<Section[]> {
  const address = service ?? (await localService(dataDir))
  if (!address) return [{ title: 'Service', text: 'not running' }]
  conceal(address.apiKey)
  const ask = (question: (client: Client) => Promise<string>) => answerOf(address, question)
  return [
    { title: 'Service', text: await ask(describeCapabilities) },
    { title: 'Latest tasks', text: await ask((client) => describeTasks(client, withNames)) },
    { title: 'Metrics', text: await ask(readMetrics) },
  ]
}

/** The address of a data folder's service, when it runs. */
export async function localService(dataDir: string): Promise<(Address & { readonly pid: number }) | null> {
  const record = await readDaemon(dataDir)
  if (!record || !(await isAnswering(record))) return null
  return { baseUrl: `http://127.0.0.1:${record.port}`, apiKey: record.key, pid: record.pid }
}

/** What one question brought; a failure is as telling as an answer, and ends no report. */
async function answerOf(address: Address, question: (client: Client) => Promise<string>): Promise<string> {
  let client: Client | undefined
  try {
    client = createClient(address)
    return await question(client)
  } catch (error) {
    return error instanceof MediaError ? `${error.code}: ${errorTable[error.code].meaning}` : 'no answer'
  } finally {
    await client?.close()
  }
}

async function describeCapabilities(client: Client): Promise<string> {
  return JSON.stringify(await client.call(routes.capabilities), null, 2)
}

async function describeTasks(client: Client, withNames: boolean): Promise<string> {
  const { list, total } = await client.call(routes.listTasks, { query: { page_size: tasksTold } })
  const lines: string[] = []
  for (const item of list) {
    const error = item.status === 'failed' ? await errorOf(client, item, withNames) : {}
    lines.push(JSON.stringify({ ...item, ...error }))
  }
  return [`${list.length} of ${total}`, ...lines].join('\n')
}

async function errorOf(client: Client, item: TaskListItem, withNames: boolean): Promise<object> {
  const params = { task_type: item.task_type_key, task_id: item.id }
  const { output_result } = await client.call(routes.queryTask, { params })
  const error = taskError.safeParse(output_result?.['error']).data
  if (!error) return {}
  const meaning = isErrorCode(error.code) ? errorTable[error.code].meaning : ''
  return { error: withNames ? error : { code: error.code, meaning, retryable: error.retryable } }
}

async function readMetrics(client: Client): Promise<string> {
  const { method, path } = rawRoutes.metrics
  const { statusCode, body } = await client.send({ method, address: path, idempotent: true })
  const text = await body.text()
  return statusCode === 200 ? text : `HTTP ${statusCode}`
}
