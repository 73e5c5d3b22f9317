import { copyFile, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillPath, routes } from '../src/contract/routes.ts'
import { hashFile } from '../src/platform/hash.ts'
import { startMcpProcess } from '../test/mcp/mcp-process.ts'
import { uploadWithInterruptions } from '../test/service/interrupted-upload.ts'
import { seededRandom } from '../test/service/kill-rounds.ts'
import { startServiceProcess } from '../test/service/process.ts'
import { peakResidentMiB } from '../test/service/resident-memory.ts'
import { createStampedFile, firstMisplacedMiB } from '../test/service/stamped-file.ts'
import { abba, median } from './measure.ts'

// Uploads a file through the MCP server to the service, in separate processes, on one disk (Linux). Reports MiB/s and
// processor time against copying the file, hashing the copy (BLAKE3) and syncing it, in ABBA rounds. The first rounds use
// a service that imports local files; the others send every byte over HTTP. A last upload is interrupted at random times,
// by closed connections and kill -9 of either side.
// npm run bench -- upload [MiB] [rounds] [cuts]

const mebibyte = 2 ** 20
const size = Number(process.argv[2] ?? 2048) * mebibyte
const rounds = Number(process.argv[3] ?? 5)
const cuts = Number(process.argv[4] ?? 20)

/** Folder of the files. It must be on a disk, not in memory. */
const folder = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'bench-upload-'))
const workspace = join(folder, 'workspace')
const source = join(workspace, 'source.mp4')
try {
  await mkdir(workspace)
  await createStampedFile(source, size, 'noise')
  if (rounds > 0) {
    await measureSpeed({ localImport: true })
    await measureSpeed({ localImport: false })
  }
  if (cuts > 0) await measureCuts()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measureSpeed({ localImport }: { localImport: boolean }): Promise<void> {
  const service = await startServiceProcess(join(folder, `data-${localImport}`), { localImport })
  const mcpServer = await startMcpProcess(service, workspace)
  const pids = { service: service.process.pid, mcpServer: mcpServer.pid, plain: process.pid }
  const headers = { authorization: service.apiKey }
  const upload = async (): Promise<() => Promise<void>> => {
    const { file_id } = await mcpServer.upload('source.mp4')
    const { method, path } = routes.deleteFile
    return async () => {
      const address = service.baseUrl + fillPath(path, { file_id: String(file_id) })
      const { ok } = await fetch(address, { method, headers })
      if (!ok) throw new Error('the file cannot be deleted')
    }
  }
  try {
    const [ours, plain] = await abba(
      rounds,
      () => measured(upload, pids),
      () => measured(copy, pids),
    )
    const speed = (runs: readonly UploadRun[]) => size / mebibyte / median(runs.map(({ seconds }) => seconds))
    const busy = (runs: readonly UploadRun[], processName: keyof typeof pids) =>
      `${median(runs.map((run) => run.busy[processName] ?? 0)).toFixed(2)} s`
    console.log(
      `${size / mebibyte} MiB through the MCP server, ${localImport ? 'local import' : 'over HTTP'}: ${speed(ours).toFixed(0)} MiB/s; copy, BLAKE3 and sync: ` +
        `${speed(plain).toFixed(0)} MiB/s; ratio ${(speed(ours) / speed(plain)).toFixed(2)}\n` +
        `processor time: MCP server ${busy(ours, 'mcpServer')}, service ${busy(ours, 'service')}, ` +
        `plain ${busy(plain, 'plain')}\n` +
        `peak memory: MCP server ${(await peakResidentMiB(pids.mcpServer)).toFixed(0)} MiB, ` +
        `service ${(await peakResidentMiB(pids.service)).toFixed(0)} MiB`,
    )
  } finally {
    await mcpServer.close()
    await service.kill('SIGTERM')
  }
}

async function measureCuts(): Promise<void> {
  const dataDir = join(folder, 'cut')
  await mkdir(dataDir)
  const report = await uploadWithInterruptions({
    source,
    size,
    dataDir,
    cuts,
    random: seededRandom(20_261_121),
  })
  const blake3 = await hashFile(source)
  const stored = join(dataDir, 'files', 'blobs', blake3.slice(0, 2), blake3)
  const isIntact = (await firstMisplacedMiB(stored)) === null && (await hashFile(stored)) === blake3
  console.log(
    `interrupted ${JSON.stringify(report.cuts)}: ${isIntact ? 'stored intact' : 'STORED DAMAGED'}; ` +
      `${report.bytesResent} acknowledged bytes sent again; peak memory: ` +
      `MCP server ${report.peaks.mcpServer.toFixed(0)} MiB, service ${report.peaks.service.toFixed(0)} MiB`,
  )
  if (!isIntact || report.bytesResent > 0) process.exitCode = 1
}

/** Copies, hashes and syncs the file. Returns a function that removes the copy. */
async function copy(): Promise<() => Promise<void>> {
  const to = join(folder, 'copy')
  await copyFile(source, to)
  await hashFile(to)
  await using file = await open(to, 'r+')
  await file.datasync()
  return () => rm(to)
}

interface UploadRun {
  /** Wall time. */
  readonly seconds: number
  /** Processor time of each process, seconds. */
  readonly busy: Readonly<Record<string, number>>
}

/** Measures work. The function that it returns cleans up, and is not measured. */
async function measured(
  work: () => Promise<() => Promise<void>>,
  pids: Readonly<Record<string, number | undefined>>,
): Promise<UploadRun> {
  const times = async () =>
    Promise.all(
      Object.entries(pids).map(async ([processName, pid]) => [processName, await busySeconds(pid)] as const),
    )
  const before = new Map(await times())
  const began = performance.now()
  const removeFile = await work()
  const seconds = (performance.now() - began) / 1000
  const busy = (await times()).map(
    ([processName, after]) => [processName, after - (before.get(processName) ?? 0)] as const,
  )
  await removeFile()
  return { seconds, busy: Object.fromEntries(busy) }
}

/** User and system time of a process so far, seconds (Linux, 100 ticks per second). */
async function busySeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) / 100
}
