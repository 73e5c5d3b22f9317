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
  /** Address of a remote service. Undefined for the local one. */
  readonly service: ServiceAddress | undefined
  /** Include error messages, which may name files. */
  readonly withNames: boolean
}

/** Number of latest tasks in a report. */
const maxTasks = 50

/** Describes a running service: its capabilities, the caller's latest tasks, and its metrics. */
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

/** Address of a data folder's service; null if it is not running. */
export async function findLocalService(
  dataDir: string,
): Promise<(ServiceAddress & { readonly pid: number }) | null> {
  const record = await readDaemonRecord(dataDir)
  if (!record || !(await isDaemonResponding(record))) return null
  return { baseUrl: `http://127.0.0.1:${record.port}`, apiKey: record.key, pid: record.pid }
}

/** Sends one query. A failure is reported as text and does not end the report. */
async function queryService(
  address: ServiceAddress,
  question: (client: Client) => Promise<string>,
): Promise<string> {
  let client: Client | undefined
  try {
    client = createClient(address)
    return await question(client)
  } catch (error) {
    return error instanceof MediaError ? `${error.code}: ${errorTable[error.code].meaning}` : 'no response'
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
