import { DropbellError } from '@dropbell/shared/errors'

/** The run belongs to somebody else, or must be taken for it. Trying again would be wrong, not only pointless. */
export class RunLost extends DropbellError {
  override readonly name = 'RunLost'

  constructor(message: string) {
    super('RUN_LOST', message)
  }
}
