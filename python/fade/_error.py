"""What a refused call raises."""


class Error(ValueError):
    """A call that cannot be. Nothing was written.

    argument: the name of what is wrong; value: what it is, in words; rule: what it must be.
    """

    def __init__(self, argument: str, value: str, rule: str):
        super().__init__(f'{argument} is {value}, but {rule}')
        self.argument, self.value, self.rule = argument, value, rule

    def __reduce__(self):
        return type(self), (self.argument, self.value, self.rule)
