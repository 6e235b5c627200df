// The objects of unit.cpp in one program; with an argument, the one for every CPU alone.
int plain(int n);
int wide(int n);

int main(int count, char**) { return plain(33) + (count > 1 ? 0 : wide(34)) == 0 ? 0 : 1; }
