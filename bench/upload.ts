import { randomFillSync } from 'node:crypto'
import { copyFile, mkdtemp, open, readFile, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Pool } from 'undici'
import { fillPath, routes } from '../src/contract/routes.ts'
import { partAt, type UploadSession } from '../src/contract/upload.ts'
import { hashFile } from '../src/platform/hash.ts'
import { startProcess, type ServiceProcess } from '../test/service/process.ts'

// Speed of the service as it takes a file in parts, from a disk to the same disk: MiB/s against copying the
// file, hashing the copy (BLAKE3) and syncing it, in ABBA rounds; and the service's peak of resident memory (Linux).
// node bench/upload.ts [MiB] [rounds] [connections]

const mebibyte = 2 ** 20
const size = Number(process.argv[2] ?? 2048) * mebibyte
const rounds = Number(process.argv[3] ?? 2)
const connections = Number(process.argv[4] ?? 4)

/** Where the files lie; a folder in memory would measure no disk. */
const folder = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'bench-upload-'))
const source = join(folder, 'source.mp4')
const service = await startProcess(join(folder, 'data'))
const pool = new Pool(service.baseUrl, { connections })
try {
  await makeSource()
  const ours: number[] = []
  const plain: number[] = []
  const before = await peakOf(service)
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timed(upload))
    plain.push(await timed(copy), await timed(copy))
    ours.push(await timed(upload))
  }
  const speed = (times: readonly number[]) => size / mebibyte / median(times)
  console.log(
    `${size / mebibyte} MiB in parts over ${connections} connections: ${speed(ours).toFixed(0)} MiB/s; ` +
      `copy, BLAKE3 and sync ${speed(plain).toFixed(0)} MiB/s; ratio ${(speed(ours) / speed(plain)).toFixed(2)}; ` +
      `resident ${before} MiB before, ${await peakOf(service)} MiB at most`,
  )
} finally {
  await pool.close()
  await service.kill('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}

/** Random bytes, which no disk makes smaller. */
async function makeSource(): Promise<void> {
  await using file = await open(source, 'wx')
  const chunk = Buffer.alloc(16 * mebibyte)
  for (let at = 0; at < size; at += chunk.length) {
    randomFillSync(chunk)
    await file.write(chunk, 0, Math.min(chunk.length, size - at))
  }
  await file.datasync()
}

async function copy(): Promise<void> {
  const to = join(folder, 'copy')
  await copyFile(source, to)
  await hashFile(to)
  await using file = await open(to, 'r+')
  await file.datasync()
  await rm(to)
}

/** Uploads the file in parts, several at once, and frees it again. */
async function upload(): Promise<void> {
  await using file = await open(source)
  const call = async <T>(options: Parameters<Pool['request']>[0]): Promise<T> => {
    const { statusCode, body } = await pool.request({
      ...options,
      headers: { authorization: service.apiKey, ...options.headers },
    })
    const answer = (await body.json()) as { msg: string; data: T }
    if (statusCode !== 200) throw new Error(answer.msg)
    return answer.data
  }
  const session = await call<UploadSession>({
    method: 'POST',
    path: routes.initUpload.path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ filename: 'source.mp4', size }),
  })
  const { upload_id } = session
  let next = 0
  const send = async (): Promise<void> => {
    for (let index = next++; index < session.total_parts; index = next++) {
      const place = partAt({ size, partSize: session.part_size }, index)
      await call({
        method: 'PUT',
        path: fillPath(routes.uploadPart.path, { upload_id, index: String(index) }),
        headers: { 'content-length': String(place.size) },
        body: Readable.from(bytesOf(file, place)),
      })
    }
  }
  await Promise.all(Array.from({ length: connections }, send))
  const began = performance.now()
  await call({ method: 'POST', path: fillPath(routes.completeUpload.path, { upload_id }) })
  console.log(`completed in ${(performance.now() - began).toFixed(0)} ms`)
}

async function* bytesOf(file: FileHandle, place: { offset: number; size: number }): AsyncGenerator<Buffer> {
  for (let at = 0; at < place.size;) {
    const chunk = Buffer.allocUnsafe(Math.min(256 * 1024, place.size - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, place.offset + at)
    yield chunk.subarray(0, bytesRead)
    at += bytesRead
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** Peak of a process's resident memory, MiB; 0 where /proc is not. */
async function peakOf({ process: { pid } }: ServiceProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}
