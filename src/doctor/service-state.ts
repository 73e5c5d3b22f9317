import { createClient, type Client } from '../client/client.ts'
import { errorTable, isErrorCode, MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { taskError, type TaskListItem } from '../contract/task.ts'
import { isDaemonResponding } from '../daemon/probe.ts'
import { readDaemonRecord } from '../daemon/record.ts'
import { registerSecret } from '../platform/log.ts'

/** Where a service is and the key it takes. */
export interface ServiceAddress {
  readonly baseUrl: string
  readonly apiKey: string
}

/** One part of a report. */
export interface ReportSection {
  readonly title: string
  readonly text: string
}

interface ServiceReportOptions {
  readonly dataDir: string
  /** A service elsewhere; undefined for the local one. */
  readonly service: ServiceAddress | undefined
  /** Tell the messages of errors, which may name files. */
  readonly withNames: boolean
}

/** Tasks that are told, the latest. */
const maxTasks = 50

/** What a service that runs says of itself and of the caller's latest tasks. */
export async function describeService({
  dataDir,
  service,
  withNames,
}: ServiceReportOptions): Promise<ReportSection[]> {
  const address = service ?? (await findLocalService(dataDir))
  if (!address) return [{ title: 'Service', text: 'not running' }]
  registerSecret(address.apiKey)
  const ask = (question: (client: Client) => Promise<string>) => queryService(address, question)
  return [
    { title: 'Service', text: await ask(describeCapabilities) },
    { title: 'Latest tasks', text: await ask((client) => describeTasks(client, withNames)) },
    { title: 'Metrics', text: await ask(readMetrics) },
  ]
}

/** The address of a data folder's service, when it runs. */
export async function findLocalService(
  dataDir: string,
): Promise<(ServiceAddress & { readonly pid: number }) | null> {
  const record = await readDaemonRecord(dataDir)
  if (!record || !(await isDaemonResponding(record))) return null
  return { baseUrl: `http://127.0.0.1:${record.port}`, apiKey: record.key, pid: record.pid }
}

/** What one question brought; a failure is as telling as an answer, and ends no report. */
async function queryService(
  address: ServiceAddress,
  question: (client: Client) => Promise<string>,
): Promise<string> {
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
  const { list, total } = await client.call(routes.listTasks, { query: { page_size: maxTasks } })
  const lines: string[] = []
  for (const item of list) {
    const error = item.status === 'failed' ? await failureDetails(client, item, withNames) : {}
    lines.push(JSON.stringify({ ...item, ...error }))
  }
  return [`${list.length} of ${total}`, ...lines].join('\n')
}

async function failureDetails(client: Client, item: TaskListItem, withNames: boolean): Promise<object> {
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
