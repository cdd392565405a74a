import type { Admission, AdmissionRequest, Admit } from '@dropbell/notification-producer/admit'
import type { Slot } from '@dropbell/notification-producer/gate'

/**
 * The slots of a batch that stand for nothing yet: taken by this very attempt, for users whose part is not to be published
 * yet. If the batch stops here they can be given back; never after a publish was attempted.
 */
export interface OpenSlots {
  /** Remembers what `admit` takes. */
  watch(admit: Admit): Admit
  /** From now on these users may have been told, or their slots are somebody else's to give back. */
  close(userIds: Iterable<string>): void
  /** When whatever was being admitted is known. */
  left(): Promise<Slot[]>
}

export const createOpenSlots = (): OpenSlots => {
  const slots = new Map<string, Slot>()
  const underWay = new Set<Promise<unknown>>()

  const remember = ({ subject, type, eventId }: AdmissionRequest, admissions: readonly Admission[]): void => {
    for (const { userId, decision } of admissions) {
      // One that was held before may be that of a publish.
      if (decision.kind === 'admitted' && !decision.again) slots.set(userId, { userId, subject, type, eventId })
    }
  }

  return {
    watch: (admit) => (requests, now) => {
      const admitting = admit(requests, now).then((admissions) => {
        for (const [index, request] of requests.entries()) remember(request, admissions[index] ?? [])
        return admissions
      })
      const known: Promise<unknown> = admitting.then(
        () => underWay.delete(known),
        () => underWay.delete(known),
      )
      underWay.add(known)
      return admitting
    },
    close: (userIds) => {
      for (const userId of userIds) slots.delete(userId)
    },
    left: async () => {
      await Promise.all(underWay)
      return [...slots.values()]
    },
  }
}
