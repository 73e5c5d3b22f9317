import { describeSize } from '../../contract/format.ts'
import { packDownloadBytes } from './machine.ts'
import type { EnginePack, ModelPack } from './manifest.ts'
import type { PackDownloadOptions } from './resumable-download.ts'

/** Receives what a download on first use is doing; null when it has ended. */
type DownloadObserver = (note: string | null) => void

let observer: DownloadObserver = () => undefined

/** Sets the observer of all downloads on first use in this process. */
export function observeFirstDownloads(observe: DownloadObserver): void {
  observer = observe
}

/** Runs a download on first use, and reports the pack, its size, the attempt and the share received to the observer. */
export async function reportFirstDownload(
  name: string,
  pack: ModelPack | EnginePack,
  download: (progress: Pick<PackDownloadOptions, 'onProgress' | 'onRetry'>) => Promise<unknown>,
): Promise<void> {
  const total = packDownloadBytes(pack)
  let attempt = 1
  let percent = 0
  const report = (): void => {
    const tried = attempt === 1 ? '' : `, attempt ${attempt}`
    observer(`downloading ${name} (${describeSize(total)}, needed once)${tried}: ${percent} %`)
  }
  report()
  try {
    await download({
      onProgress(bytes) {
        const reached = Math.floor((bytes / total) * 100)
        if (reached === percent) return
        percent = reached
        report()
      },
      onRetry(next) {
        attempt = next
        report()
      },
    })
  } finally {
    observer(null)
  }
}
