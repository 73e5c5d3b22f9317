import { basename, dirname } from 'node:path'
import { startMcpProcess } from '../mcp/mcp-process.ts'
import { startServiceProcess } from './process.ts'
import { startRelay } from './relay.ts'
import { peakResidentMiB } from './resident-memory.ts'

/** An upload to interrupt. */
interface UploadWithInterruptionsOptions {
  readonly source: string
  /** Size of the source, bytes. */
  readonly size: number
  readonly dataDir: string
  /** Number of interruptions. */
  readonly cuts: number
  /** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), for repeatable runs. */
  readonly random: () => number
}

/** Result of the upload. */
interface InterruptedUploadResult {
  readonly cuts: Readonly<Record<InterruptionKind, number>>
  /** The final response to the agent. */
  readonly file: Record<string, unknown>
  /** Bytes of parts sent again although they had been acknowledged. */
  readonly bytesResent: number
  /** Peaks of resident memory over all processes of each side, MiB. */
  readonly peaks: Readonly<Record<'service' | 'mcpServer', number>>
}

type InterruptionKind = 'connection' | 'service' | 'mcpServer'

/** Cycle of interruptions: networks fail more often than processes. */
const interruptionOrder: readonly InterruptionKind[] = [
  'connection',
  'service',
  'connection',
  'mcpServer',
  'connection',
]

/**
 * Uploads a file through an MCP server to a service, both in separate processes, and cuts it at random moments:
 * all connections, kill -9 of the service, kill -9 of the MCP server; each time it resumes with the restarted process.
 */
export async function uploadWithInterruptions({
  source,
  size,
  dataDir,
  ...schedule
}: UploadWithInterruptionsOptions): Promise<InterruptedUploadResult> {
  let service = await startServiceProcess(dataDir)
  await using relay = await startRelay(service)
  const open = () =>
    startMcpProcess({ baseUrl: relay.baseUrl, apiKey: 'the relay knows it' }, dirname(source))
  let mcpServer = await open()
  const cuts = { connection: 0, service: 0, mcpServer: 0 }
  const peaks = { service: 0, mcpServer: 0 }
  const measure = async (): Promise<void> => {
    peaks.service = Math.max(peaks.service, await peakResidentMiB(service.process.pid))
    peaks.mcpServer = Math.max(peaks.mcpServer, await peakResidentMiB(mcpServer.pid))
  }
  const startUpload = () => {
    const response = mcpServer.upload(basename(source))
    // A killed process is not measured.
    response.catch(() => undefined)
    return response
  }
  const cut: Record<InterruptionKind, () => Promise<void>> = {
    connection: async () => relay.closeConnections(),
    async service() {
      await service.kill('SIGKILL')
      service = await startServiceProcess(dataDir)
      relay.target = service
    },
    async mcpServer() {
      await mcpServer.kill()
      mcpServer = await open()
      uploading = startUpload()
    },
  }
  let uploading = startUpload()
  try {
    for (let count = 0; count < schedule.cuts; count += 1) {
      // Less than the whole file before the last interruption.
      const moment = relay.waitForBytes((schedule.random() * 1.6 * size) / schedule.cuts)
      if ((await Promise.race([moment, uploading])) !== undefined) break
      await measure()
      const kind = interruptionOrder[count % interruptionOrder.length] ?? 'connection'
      await cut[kind]()
      cuts[kind] += 1
    }
    const file = await uploading
    await measure()
    return { cuts, file, bytesResent: relay.bytesResent, peaks }
  } finally {
    await mcpServer.close()
    await service.kill('SIGTERM')
  }
}
