import { freeSpace } from '../platform/folder.ts'
import { registerProcessMetrics } from '../platform/metrics.ts'
import { registerQueueMetrics } from '../tasks/task-metrics.ts'
import type { Service } from '../tasks/service.ts'

/** Registers metrics of a service besides those of its parts; disposal stops measuring. */
export function registerServiceMetrics(
  service: Service,
  { version, dataDir }: { version: string; dataDir: string },
): Disposable {
  const { metrics, db } = service
  metrics.read({ name: 'reelwright_build_info', help: 'Version of reelwright.' }, () => [
    { labels: { version }, value: 1 },
  ])
  registerQueueMetrics(service, metrics)
  metrics.read(
    {
      name: 'reelwright_stored_bytes',
      help: 'Bytes of stored files; files with the same content count once.',
    },
    async () => {
      const { bytes } = await db
        .selectFrom((files) =>
          files
            .selectFrom('files')
            .select(['blake3', 'size'])
            .where('removed_at', 'is', null)
            .distinct()
            .as('held'),
        )
        .select((eb) => eb.fn.sum<number | string | null>('held.size').as('bytes'))
        .executeTakeFirstOrThrow()
      return [{ value: Number(bytes ?? 0) }]
    },
  )
  metrics.read(
    { name: 'reelwright_free_disk_bytes', help: 'Free space on the disk of the data folder.' },
    async () => [{ value: await freeSpace(dataDir) }],
  )
  return registerProcessMetrics(metrics)
}
